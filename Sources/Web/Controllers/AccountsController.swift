import Rules
import HTTP
import Model
import Sodium

/// Sign-up for Todo, and the end of an account.
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
}
