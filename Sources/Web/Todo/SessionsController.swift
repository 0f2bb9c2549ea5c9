import HTTP
import Model
import Sodium

/// Signing in to Todo, and out of it.
struct SessionsController: Sendable {
    let accounts: any AccountStore
    let passwordHasher: PasswordHasher

    /// Signs in with a new token; an address that no account has costs the same work as a wrong
    /// password, so that nobody can find out which addresses have one.
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let password = parameters["user", "password"].spelling ?? ""
        let credentials = try await credentials(parameters["user", "email"])
        let isRight = try await passwordHasher.matches(password, hash: credentials?.passwordHash)
        guard isRight, let credentials else { throw RequestError.wrongCredentials }
        let token = AccessToken.make(from: RandomBytes.make)
        let isSignedIn = try await accounts.signIn(
            to: credentials,
            token: TokenDigest(of: token),
            renewedHash: renewedHash(of: password, credentials)
        )
        // The password has been changed in the meantime.
        guard isSignedIn else { throw RequestError.wrongCredentials }
        return AccountView.response(.ok, credentials.account, token: token)
    }

    func destroy(_ call: Call) async throws -> Response {
        let token = try AccountAuthentication.token(of: call, call.parameters())
        guard try await accounts.signOut(token: token) else {
            throw RequestError.unknownAccessToken
        }
        return Response(.noContent)
    }

    private func credentials(_ email: Input) async throws -> AccountCredentials? {
        guard let email = email.spelling.flatMap(EmailAddress.init) else { return nil }
        return try await accounts.find(email: email)
    }

    /// A hash with the parameters of today, where the stored one has others.
    private func renewedHash(
        of password: String,
        _ credentials: AccountCredentials
    ) async throws -> String? {
        guard let hash = credentials.passwordHash, PasswordHasher.isOutdated(hash) else {
            return nil
        }
        return try await passwordHasher.hash(password)
    }
}
