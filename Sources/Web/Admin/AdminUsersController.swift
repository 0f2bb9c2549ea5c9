import Formats
import HTTP
import JSON
import Model

/// The users of Humon.
struct AdminUsersController: AdminController {
    let services: AdminServices

    func index(_ call: AdminCall) async throws -> Response {
        let list = try AdminList(call)
        let users = try await services.moderation.users(
            areBanned: list.isOn("banned"),
            before: list.cursorID(),
            limit: list.limit + 1
        )
        return list.response(users, cursor: { String($0.id) }) { $0.userFields($1) }
    }

    func show(_ call: AdminCall) async throws -> Response {
        try await response(with: call.call.id())
    }

    private func response(with id: Int64) async throws -> Response {
        let details = try await services.moderation.user(id).orThrow(.notFound)
        return .object(.ok) { fields in
            fields.userFields(details.user)
            if let name = details.name { fields.field("name", name) }
            fields.field("events", details.counts.events)
            fields.field("attendances", details.counts.attendances)
            fields.field("reports_about", details.counts.reportsAbout)
            fields.field("reports_by", details.counts.reportsBy)
            fields.field("blocked_by", details.counts.blockedBy)
        }
    }

    func ban(_ call: AdminCall) async throws -> Response { try await perform(.ban, call) }

    func unban(_ call: AdminCall) async throws -> Response { try await perform(.unban, call) }

    private func perform(_ action: AdminAction, _ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        let done = try await services.perform(action, .user(id), by: call.admin)
        return try await AdminServices.response(toChangeOf: id) { try await response(with: id) }
            .noting(done)
    }

    /// Ends the tokens of a user.
    func revoke(_ call: AdminCall) async throws -> Response {
        let id = try call.call.id()
        try await services.api.signIns.revokeTokens(of: id, device: nil, by: call.admin.name)
        services.log(.revoke, "user", "\(id)", by: call.admin)
        return try await AdminServices.response(toChangeOf: id) { try await response(with: id) }
    }

    func destroy(_ call: AdminCall) async throws -> Response {
        try await services.perform(.delete, .user(call.call.id()), by: call.admin)
        return Response(.noContent)
    }
}

extension JSONWriter {
    fileprivate mutating func userFields(_ user: ListedUser) {
        field("id", user.id)
        field("created_at", user.createdAt)
        field("banned_at", user.bannedAt)
        if let deletedAt = user.deletedAt { field("deleted_at", deletedAt) }
        if let survivor = user.survivorID { field("merged_into", survivor) }
    }
}
