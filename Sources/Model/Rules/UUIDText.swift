/// The text form of UUIDs (RFC 9562): 32 hexadecimal digits, separated by hyphens.
package enum UUIDText {
    static let length = 36
    /// The positions of the hyphens in the text.
    static let hyphens = [8, 13, 18, 23]

    /// Returns a UUID of version 4 in lower case.
    ///
    /// The form is `xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx`, y from 8 to b.
    ///
    /// - Parameter random: 16 bytes from a cryptographic generator. Any other count is a
    ///   programming error and stops the program.
    /// - Returns: 36 characters with 122 of the random bits (RFC 9562, section 5.4).
    package static func version4(from random: [UInt8]) -> String {
        text(of: random, version: 4)
    }

    /// Returns a UUID of version 8 in lower case.
    ///
    /// The format is `xxxxxxxx-xxxx-8xxx-yxxx-xxxxxxxxxxxx`, where y is 8, 9, a or b.
    ///
    /// - Parameter digest: 16 bytes, such as the first ones of a digest. Any other count is a
    ///   programming error and stops the program.
    /// - Returns: 36 characters that contain 122 bits of the digest (RFC 9562, section 5.8).
    package static func version8(from digest: [UInt8]) -> String {
        text(of: digest, version: 8)
    }

    private static func text(of bytes: [UInt8], version: UInt8) -> String {
        precondition(bytes.count == 16, "a UUID needs 16 bytes")
        var text = ""
        text.reserveCapacity(length)
        for (index, byte) in bytes.enumerated() {
            if hyphens.contains(text.utf8.count) {
                text += "-"
            }
            let byte = marked(byte, at: index, version)
            text += String(byte >> 4, radix: 16)
            text += String(byte & 0xF, radix: 16)
        }
        return text
    }

    /// Returns the byte with the version in it (byte 6) or the variant (byte 8).
    private static func marked(_ byte: UInt8, at index: Int, _ version: UInt8) -> UInt8 {
        switch index {
        case 6: byte & 0x0F | version << 4
        case 8: byte & 0x3F | 0x80
        default: byte
        }
    }
}
