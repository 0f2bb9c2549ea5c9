import HTTP
import JSON
import Model
import Rules
import Sodium

/// The accounts of Todo.
struct AdminAccountsController: AdminController {
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
        return list.response(accounts, cursor: \.email) { fields, account in
            fields.field("id", account.id)
            fields.field("email", account.email)
            fields.field("name", account.name)
            fields.field("tasks", account.taskCount)
            fields.field("signed_in", account.isSignedIn)
        }
    }

    /// Gives an account a random password, which the response shows once.
    func reset(_ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        let password = RandomText.make(
            length: RandomText.passwordLength,
            from: RandomBytes.make
        )
        try await services.moderation.resetPassword(
            ofAccount: id,
            hash: services.passwordHasher.hash(password),
            by: call.admin.name
        )
        services.log(.resetPassword, "account", "\(id)", by: call.admin)
        return .object(.ok) { $0.field("password", password) }
    }

    func signOut(_ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        _ = try await services.moderation.endSessions(ofAccount: id, by: call.admin.name)
        services.log(.signOut, "account", "\(id)", by: call.admin)
        return Response(.noContent)
    }

    func destroy(_ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        try await services.moderation.deleteAccount(id, by: call.admin.name)
        services.log(.delete, "account", "\(id)", by: call.admin)
        return Response(.noContent)
    }
}
