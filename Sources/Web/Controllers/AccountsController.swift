import Rules
import HTTP
import Model
import Sodium

/// Sign-up for Todo.
struct AccountsController: Sendable {
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
}
