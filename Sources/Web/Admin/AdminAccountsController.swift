import HTTP
import JSON
import Model
import Rules
import Sodium

/// The accounts of Todo.
struct AdminAccountsController: Sendable {
    let services: AdminServices

    func index(_ call: AdminCall) async throws -> Response {
        let list = try AdminList(call)
        // PostgreSQL has no such texts.
        for name in ["email", "cursor"] where list[name]?.utf8.contains(0) == true {
            throw ModelError.invalidParameter(name)
        }
        let accounts = try await services.moderation.accounts(
            emailPrefix: list["email"],
            after: list.cursor,
            limit: list.limit + 1
        )
        return list.response(accounts, cursor: \.email) { json, account in
            json.object { fields in
                fields.field("id", account.id)
                fields.field("email", account.email)
                fields.field("name", account.name)
                fields.field("tasks", account.taskCount)
                fields.field("signed_in", account.isSignedIn)
            }
        }
    }

    /// Gives an account a random password, which the response shows once.
    func resetPassword(_ call: AdminCall) async throws -> Response {
        let (id, email) = try await account(call)
        let password = RandomText.make(length: 16, from: RandomBytes.make)
        try await services.administration.resetPassword(
            of: email,
            hash: services.passwordHasher.hash(password)
        )
        try await note(.resetPassword, id, call.admin)
        return .object(.ok) { $0.field("password", password) }
    }

    func signOut(_ call: AdminCall) async throws -> Response {
        let (id, email) = try await account(call)
        _ = try await services.administration.endSessions(of: email)
        try await note(.signOut, id, call.admin)
        return Response(.noContent)
    }

    func destroy(_ call: AdminCall) async throws -> Response {
        let (id, email) = try await account(call)
        guard let credentials = try await services.accounts.find(email: email),
            try await services.moderation.deleteAccount(credentials, by: call.admin.name)
        else { throw RequestError.notFound }
        services.log(.delete, "account", "\(id)", by: call.admin)
        return Response(.noContent)
    }

    private func account(_ call: AdminCall) async throws -> (id: Int64, email: EmailAddress) {
        guard let account = try await services.moderation.account(call.call.id()),
            let email = EmailAddress(account.email)
        else { throw RequestError.notFound }
        return (account.id, email)
    }

    private func note(_ action: AdminAction, _ id: Int64, _ admin: Admin) async throws {
        try await services.moderation.note(action, kind: "account", id, by: admin.name)
        services.log(action, "account", "\(id)", by: admin)
    }
}
