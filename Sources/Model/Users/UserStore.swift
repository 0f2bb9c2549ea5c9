/// A store of users that finds them by the digest of their token.
///
/// Every function throws `ModelError.unavailable` or `.storage` if the storage fails, and writes
/// also `.overloaded` if too many are queued. A write returns only once it is durable.
package protocol UserStore: Sendable {
    /// Returns the user whose token has this digest.
    func find(token: TokenDigest) async throws -> User?

    /// Returns the user with this token, and the numbers of the user's events and attendances.
    ///
    /// Returns nil if no user has the token. O(n) for n events and attendances.
    func summary(ofUserWith token: TokenDigest) async throws -> UserSummary?

    /// Creates a user with this token, and throws `ModelError.invalid` if the token is taken.
    func create(token: TokenDigest) async throws -> User

    /// Returns the user with this token, and creates the user if it doesn't exist.
    ///
    /// Simultaneous calls create one user.
    func findOrCreate(token: TokenDigest) async throws -> User
}
