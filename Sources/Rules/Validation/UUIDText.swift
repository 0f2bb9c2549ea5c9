/// The text form of UUIDs (RFC 9562): 32 hexadecimal digits, separated by hyphens.
package enum UUIDText {
    package static let length = 36
    /// The positions of the hyphens in the text.
    package static let hyphens = [8, 13, 18, 23]

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
        return unsafe String(unsafeUninitializedCapacity: length) { text in
            // Two digits for each of 16 bytes and four hyphens are `length` bytes.
            var end = 0
            for index in bytes.indices {
                if hyphens.contains(end) {
                    unsafe text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let byte = marked(bytes[index], at: index, version)
                unsafe text[end] = digit(byte >> 4)
                unsafe text[end + 1] = digit(byte & 0xF)
                end += 2
            }
            return end
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
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
