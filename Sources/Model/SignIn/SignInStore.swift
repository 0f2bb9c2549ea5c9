/// The devices of users, the identities with which they sign in, and their names.
///
/// Failures are as in `UserStore`. Each change is one transaction. Functions with a token return
/// nil if no user has it.
package protocol SignInStore: Sendable {
    /// Signs in a device with an identity that was verified.
    ///
    /// Simultaneous calls for a new identity create one user. A device that is signed in already
    /// changes nothing. O(n log m) for n records that move, among m.
    ///
    /// - Throws: `ModelError.banned` if a banned user would be merged, and `.invalid` if more than
    ///   10,000 records would move.
    func signIn(_ signIn: SignIn) async throws -> SignInOutcome

    /// Returns the devices of a token's user, newest first.
    func devices(of token: TokenDigest) async throws -> [Device]?

    /// Returns the devices of a user, newest first; throws `ModelError.notFound`.
    func devices(ofUser id: Int64) async throws -> [Device]

    /// Changes the name of one of the user's devices, and returns whether there is such a device.
    func renameDevice(_ id: Int64, to name: String?, by token: TokenDigest) async throws -> Bool?

    /// Ends the token of one of the user's devices, and returns whether there is such a device.
    ///
    /// The device is the current one if `id` is nil.
    func endDevice(_ id: Int64?, by token: TokenDigest) async throws -> Bool?

    /// Gives the device another token, and returns the id of its user.
    ///
    /// The former one ends when the new one is first used, or after 7 days. A new one that was not
    /// used yet ends at once.
    func rotate(_ token: TokenDigest, to successor: TokenDigest) async throws -> Int64?

    /// Stores the day on which a token was used, and ends the token that it replaces.
    ///
    /// A day is counted since 1970-01-01.
    func noteUse(of token: TokenDigest, on day: Int64) async throws

    /// Returns the identities of a token's user, oldest first.
    func identities(of token: TokenDigest) async throws -> [UserIdentity]?

    /// Returns the identities of a user, oldest first; throws `ModelError.notFound`.
    func identities(ofUser id: Int64) async throws -> [UserIdentity]

    /// Gives an identity to the token's user, and returns its id.
    ///
    /// Throws `ModelError.conflict` if another user has it, and `.invalid` for one too many.
    func add(_ identity: Identity, by token: TokenDigest) async throws -> Int64?

    /// Removes one of the user's identities, and returns whether there is such an identity.
    ///
    /// Throws `ModelError.conflict` if it is the last one.
    func removeIdentity(_ id: Int64, by token: TokenDigest) async throws -> Bool?

    /// Changes the name of the token's user, and returns whether a user has the token.
    ///
    /// A name with blocked words is reported.
    func rename(_ name: String?, by token: TokenDigest) async throws -> Bool

    /// Returns the id of the user with an identity; nil for an unknown one.
    func userID(of identity: Identity) async throws -> Int64?

    // MARK: - Operators

    /// Changes the name of a user for an operator; throws `ModelError.notFound`.
    func rename(_ user: Int64, to name: String?, by actor: String) async throws

    /// Moves all records, devices and identities of a user to another one.
    ///
    /// The first user is nobody afterwards. O(n log m) for n records that move, among m. Throws
    /// `ModelError.notFound`, and `.banned` if one of them is banned.
    func merge(_ user: Int64, into other: Int64, by actor: String) async throws

    /// Ends the token of one of a user's devices, or of all if `device` is nil; throws
    /// `ModelError.notFound`.
    func revokeTokens(of user: Int64, device: Int64?, by actor: String) async throws
}

/// The limits of sign-ins; times are in ms.
package enum SignInLimits {
    /// The maximum number of events and attendances that a client's merge moves.
    package static let mergedRecords: Int64 = 10_000
    /// The maximum number of identities of a user.
    package static let identities = 16
    /// How long a token is valid after another one was made to replace it.
    package static let rotationMilliseconds: Int64 = 7 * 86_400_000
    package static let dayMilliseconds: Int64 = 86_400_000
}
