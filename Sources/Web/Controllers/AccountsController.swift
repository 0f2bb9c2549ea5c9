import HTTP
import Model
import Rules
import Sodium

/// The accounts of Todo: sign-up, sign-in and sign-out, and the end of an account.
struct AccountsController: Controller {
    let services: Services

    /// Creates an account and signs in to it.
    func create(_ call: Call) async throws -> Response {
        try services.limiter?.admitSignUp(call.request)
        let parameters = try call.parameters()
        guard parameters.hasObject("user") else { throw RequestError.parameterMissing }
        let email = parameters["user", "email"]
        // The address is looked up first, because hashing is slow.
        var isEmailTaken = false
        if let address = email.spelling.flatMap(EmailAddress.init) {
            isEmailTaken = try await services.accounts.find(email: address) != nil
        }
        let new = try NewAccount(
            email: email,
            password: parameters["user", "password"],
            name: parameters["user", "name"],
            isEmailTaken: isEmailTaken
        )
        let token = AccessToken.make(from: RandomBytes.make)
        let account = try await services.accounts.create(
            new,
            passwordHash: services.passwordHasher.hash(new.password),
            token: TokenDigest(of: token)
        )
        return AccountView.response(.created, account, token: token)
    }

    /// Deletes the signed-in account with its tasks.
    ///
    /// It needs the password, too, because a token can be in a link or on a lost device.
    func destroy(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let token = try services.accountAuthentication.token(of: call, parameters)
        let found = try await services.accounts.find(token: token)
        let credentials = try found.orThrow(.unknownAccessToken)
        // In a URL, a password would stay in logs.
        let password = parameters.ofBody["user", "password"]
        guard !password.isBlank else {
            throw ModelError.invalid([AttributeError("password", .blank)])
        }
        let email = EmailAddress(credentials.account.email)
        try services.limiter?.admitSignIn(call.request, to: email)
        let check = try await PasswordCheck(
            password.spelling ?? "",
            credentials.passwordHash,
            services
        )
        guard check.isRight else { throw RequestError.wrongCredentials }
        // Another request has deleted it or changed its password, and so ended its sessions.
        guard try await services.moderation.deleteAccount(credentials, by: nil) else {
            throw RequestError.unknownAccessToken
        }
        return Response(.noContent)
    }

    /// Signs in with a new token.
    ///
    /// An unknown e-mail address takes the same work as a wrong password, so that clients can't
    /// find out which addresses have accounts. The work depends only on the password that was sent.
    func signIn(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let password = parameters["user", "password"].spelling ?? ""
        let email = parameters["user", "email"].spelling.flatMap(EmailAddress.init)
        try services.limiter?.admitSignIn(call.request, to: email)
        // Between the lookup and the sign-in, another sign-in may renew the hash, but only once.
        for _ in 0..<2 {
            var credentials: AccountCredentials?
            if let email { credentials = try await services.accounts.find(email: email) }
            if let response = try await signIn(to: credentials, with: password) { return response }
        }
        throw RequestError.wrongCredentials
    }

    func signOut(_ call: Call) async throws -> Response {
        let token = try services.accountAuthentication.token(of: call, call.parameters())
        guard try await services.accounts.signOut(token: token) else {
            throw RequestError.unknownAccessToken
        }
        return Response(.noContent)
    }

    /// Returns the response if the password is correct, or nil if the hash has changed meanwhile.
    private func signIn(
        to credentials: AccountCredentials?,
        with password: String
    ) async throws -> Response? {
        let check = try await PasswordCheck(password, credentials?.passwordHash, services)
        guard check.isRight, let credentials else { throw RequestError.wrongCredentials }
        let token = AccessToken.make(from: RandomBytes.make)
        let isSignedIn = try await services.accounts.signIn(
            to: credentials,
            token: TokenDigest(of: token),
            // The sign-in can succeed without a new hash.
            renewedHash: check.isOutdated
                ? try? await services.passwordHasher.hash(check.prepared) : nil
        )
        return isSignedIn ? AccountView.response(.ok, credentials.account, token: token) : nil
    }
}

/// Whether a password is that of an account, at the cost of a hash or two.
struct PasswordCheck {
    /// The password in the form that is hashed.
    let prepared: String
    let isRight: Bool
    /// Whether the hash should be made anew.
    let isOutdated: Bool

    /// Compares a password with a hash; nil takes the same work and is never right.
    init(_ password: String, _ hash: String?, _ services: Services) async throws {
        prepared = Password.prepared(password)
        var isRight = try await services.passwordHasher.matches(prepared, hash: hash)
        var isOutdated = hash.map(PasswordHasher.isWeak) ?? false
        if !isRight, !prepared.utf8.elementsEqual(password.utf8) {
            // Earlier versions hashed the bytes that were sent.
            isRight = try await services.passwordHasher.matches(password, hash: hash)
            isOutdated = true
        }
        self.isRight = isRight
        self.isOutdated = isOutdated
    }
}
