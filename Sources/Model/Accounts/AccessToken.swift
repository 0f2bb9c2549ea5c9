/// The secret that a signed-in Todo app is known by: 20 characters that need no escaping anywhere.
package enum AccessToken {
    /// A token of 119 random bits, made from what `randomBytes` returns for a count.
    package static func make(from randomBytes: (Int) -> [UInt8]) -> String {
        RandomText.make(length: 20, from: randomBytes)
    }
}
