/// Keeps the accounts of Todo, and who is signed in.
///
/// Failures are as in `UserStore`.
package protocol AccountStore: Sendable {
    /// The id of the account that the token with this digest is signed in to.
    func findID(token: TokenDigest) async throws -> Int64?

    /// The account with this address.
    func find(email: EmailAddress) async throws -> AccountCredentials?

    /// A new account, signed in to with this token; throws `NewAccount.emailIsTaken` if another
    /// has its address.
    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account

    /// Signs in to an account with a new token, and out with all earlier ones.
    ///
    /// - Parameters:
    ///   - credentials: The account, with the hash that the person's password has matched.
    ///   - token: The digest of the new token.
    ///   - renewedHash: What replaces the hash; nil to keep it.
    /// - Throws: As all functions here do.
    /// - Returns: Whether the account still had this hash; if not, nothing has changed.
    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool

    /// Signs out with this token; false if it was signed in to no account.
    func signOut(token: TokenDigest) async throws -> Bool
}
