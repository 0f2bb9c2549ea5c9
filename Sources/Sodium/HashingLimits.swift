/// The limits of password hashing; each can be changed, but none can be turned off.
package struct HashingLimits: Equatable, Sendable {
    /// The number of passwords that can wait to be hashed or checked.
    package var queuedPasswords = 32

    package init() {}
}
