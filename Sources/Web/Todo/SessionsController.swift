import HTTP
import Model
import Sodium

/// Signing in to Todo, and out of it.
struct SessionsController: Sendable {
    let accounts: any AccountStore
    let authentication: AccountAuthentication
    let passwordHasher: PasswordHasher
    let limiter: RequestLimiter?

    /// Signs in with a new token; an address that no account has costs the same work as a wrong
    /// password, so that nobody can find out which addresses have one.
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let password = parameters["user", "password"].spelling ?? ""
        let email = parameters["user", "email"].spelling.flatMap(EmailAddress.init)
        try limiter?.admitSignIn(call.request, to: email)
        // The hash may be renewed by another sign-in between the look at it and the sign-in; once
        // renewed, it stays.
        for _ in 0..<2 {
            let credentials = try await credentials(email)
            if let response = try await signIn(to: credentials, with: password) { return response }
        }
        throw RequestError.wrongCredentials
    }

    func destroy(_ call: Call) async throws -> Response {
        let token = try authentication.token(of: call, call.parameters())
        guard try await accounts.signOut(token: token) else {
            throw RequestError.unknownAccessToken
        }
        return Response(.noContent)
    }

    /// The answer to somebody whose password is right; nil if the account has had another hash in
    /// the meantime.
    private func signIn(
        to credentials: AccountCredentials?,
        with password: String
    ) async throws -> Response? {
        let isRight = try await passwordHasher.matches(password, hash: credentials?.passwordHash)
        guard isRight, let credentials else { throw RequestError.wrongCredentials }
        let token = AccessToken.make(from: RandomBytes.make)
        let isSignedIn = try await accounts.signIn(
            to: credentials,
            token: TokenDigest(of: token),
            renewedHash: await renewedHash(of: password, credentials)
        )
        return isSignedIn ? AccountView.response(.ok, credentials.account, token: token) : nil
    }

    private func credentials(_ email: EmailAddress?) async throws -> AccountCredentials? {
        guard let email else { return nil }
        return try await accounts.find(email: email)
    }

    /// A stronger hash where the stored one is weak; nil where it is not, and where there is no
    /// time for it, which is no reason to turn anybody away.
    private func renewedHash(
        of password: String,
        _ credentials: AccountCredentials
    ) async -> String? {
        guard let hash = credentials.passwordHash, PasswordHasher.isWeak(hash) else { return nil }
        return try? await passwordHasher.hash(password)
    }
}
