/// A store of Todo's accounts and their sessions.
///
/// Failures are as in `UserStore`.
package protocol AccountStore: Sendable {
    /// Returns the id of the account whose session has the token with this digest.
    func findID(token: TokenDigest) async throws -> Int64?

    /// Returns the account whose session has the token with this digest.
    func find(token: TokenDigest) async throws -> AccountCredentials?

    /// Returns the account with this address.
    func find(email: EmailAddress) async throws -> AccountCredentials?

    /// Returns all accounts in the order of their ids, for an operator.
    ///
    /// O(n log m) for n accounts with m tasks each.
    func summaries() async throws -> [AccountSummary]

    /// Creates an account and a session with this token.
    ///
    /// Throws `NewAccount.emailIsTaken` if another account has its address.
    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account

    /// Creates a session with a new token and ends all earlier sessions of the account.
    ///
    /// - Parameters:
    ///   - credentials: The account, with the hash that the password was checked against.
    ///   - token: The digest of the new token.
    ///   - renewedHash: The new hash of the password; nil to keep the old one.
    /// - Throws: The errors of all functions here.
    /// - Returns: Whether the account still had this hash. If not, nothing has changed.
    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool

    /// Ends the session with this token; returns false if no session has it.
    func signOut(token: TokenDigest) async throws -> Bool
}
