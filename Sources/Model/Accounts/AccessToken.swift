/// The secret of a signed-in Todo app: 20 characters that need no escaping anywhere.
package enum AccessToken {
    /// Returns a token of 119 random bits, made from as many `randomBytes` as it needs.
    package static func make(from randomBytes: (Int) -> [UInt8]) -> String {
        RandomText.make(length: 20, from: randomBytes)
    }
}
