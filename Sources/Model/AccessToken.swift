/// The secret that a signed-in Todo app is known by: 20 characters that need no escaping anywhere.
package enum AccessToken {
    private static let length = 20
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
    )

    /// A token of 119 random bits, made from what `randomBytes` returns for a count.
    ///
    /// Bytes that would make some characters likelier than others are not used.
    package static func make(from randomBytes: (Int) -> [UInt8]) -> String {
        var characters: [UInt8] = []
        let fair = UInt8.max - UInt8.max % UInt8(alphabet.count)
        while characters.count < length {
            for byte in randomBytes(length) where byte < fair && characters.count < length {
                characters.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
