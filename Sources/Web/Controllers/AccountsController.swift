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
        let new = try await account(AccountDraft(parameters))
        let token = AccessToken.make(from: RandomBytes.make)
        let account = try await services.accounts.create(
            new,
            passwordHash: services.passwordHasher.hash(new.password),
            token: TokenDigest(of: token)
        )
        return AccountView.response(.created, account, token: token)
    }

    /// Validates the draft; looks up the e-mail address first, because hashing is slow.
    private func account(_ draft: AccountDraft) async throws -> NewAccount {
        var isEmailTaken = false
        if let email = draft.emailAddress {
            isEmailTaken = try await services.accounts.find(email: email) != nil
        }
        return try draft.account(isEmailTaken: isEmailTaken)
    }
}

extension AccountDraft {
    /// Reads the draft of an account from a request.
    fileprivate init(_ parameters: Parameters) {
        self.init(
            email: parameters["user", "email"],
            password: parameters["user", "password"],
            name: parameters["user", "name"]
        )
    }
}
