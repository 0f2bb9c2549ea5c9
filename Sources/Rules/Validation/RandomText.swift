/// Random texts for secrets, of characters that need no escaping anywhere.
package enum RandomText {
    /// The length of passwords of accounts: 95 random bits.
    package static let passwordLength = 16
    /// The length of tokens: 256 random bits.
    package static let tokenLength = 43

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
    )

    /// Returns a text of `length` letters and digits with 5.95 random bits each.
    ///
    /// It is made from the bytes that `randomBytes` returns for a count. Bytes that would make some
    /// characters more likely than others are not used.
    package static func make(length: Int, from randomBytes: (Int) -> [UInt8]) -> String {
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
