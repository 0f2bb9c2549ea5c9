/// Keeps users and finds them by the digest of their token.
///
/// Every function throws `ModelError.unavailable` or `.storage` where the storage fails, and a
/// write `.overloaded` where too many wait. A write returns only once it is durable.
package protocol UserStore: Sendable {
    /// The user whose token has this digest.
    func find(token: TokenDigest) async throws -> User?

    /// A new user with this token; throws `ModelError.invalid` if the token is taken.
    func create(token: TokenDigest) async throws -> User

    /// Returns the user with this token, and creates the user if it doesn't exist.
    ///
    /// Simultaneous calls create one user.
    func findOrCreate(token: TokenDigest) async throws -> User

    /// Makes the user's token useless; throws `ModelError.notFound` if there is no such user.
    func revokeToken(of id: Int64) async throws
}
