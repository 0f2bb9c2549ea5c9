import Formats
import HTTP
import JSON
import Model
import Rules

/// The backups of the server.
struct AdminBackupsController: AdminController {
    let services: AdminServices

    func index(_ call: AdminCall) async throws -> Response {
        let backups = services.surroundings.backups
        return .object(.ok) { fields in
            fields.page(backups?.list() ?? []) { fields, backup in
                fields.field("name", backup.name)
                fields.field("bytes", backup.bytes)
                fields.field("started_at", backup.startedAt)
                fields.field("sealed", backup.isSealed)
            }
            fields.field("running", backups?.isRunning ?? false)
            fields.field("fault", backups?.fault)
        }
    }

    /// Starts a backup.
    func create(_ call: AdminCall) async throws -> Response {
        guard let backups = services.surroundings.backups else {
            throw ModelError.conflict("Back up PostgreSQL with its own programs.")
        }
        guard try backups.begin() else {
            throw ModelError.conflict("A backup is being made. Wait until it is done.")
        }
        try await note(.backUp, "new", call.admin)
        return .object(.accepted) { $0.field("running", true) }
    }

    /// Returns a URL that downloads a backup once, within a minute.
    func createLink(_ call: AdminCall) async throws -> Response {
        guard let name = call.recordName, services.surroundings.backups?.path(of: name) != nil
        else { throw RequestError.notFound }
        try await note(.download, name, call.admin)
        let key = services.downloads.make(for: name, now: services.surroundings.now())
        return .object(.ok) { $0.field("url", "/admin/v1/backups/\(name)?key=\(key)") }
    }

    /// Returns a backup to a client with a key instead of a token.
    func show(_ call: Call) async throws -> Response {
        // HEAD would use up the key.
        guard call.request.method == .get else {
            throw RequestError.methodNotAllowed(allow: "GET, OPTIONS")
        }
        guard let key = try call.parameters()["key"].spelling, let name = call.recordName,
            services.downloads.use(key, for: name, now: services.surroundings.now())
        else { throw RequestError.adminUnauthorized }
        guard let path = services.surroundings.backups?.path(of: name) else {
            throw RequestError.notFound
        }
        let headers: Headers = [
            "content-type": "application/octet-stream",
            "content-disposition": "attachment; filename=\"\(name)\"",
        ]
        var response = Response(.ok, headers: headers)
        response.stream = try FileStream(path: path)
        return response
    }

    private func note(_ action: AdminAction, _ name: String, _ admin: Admin) async throws {
        try await services.moderation.note(action, kind: "backup", nil, by: admin.name)
        services.log(action, "backup", name, by: admin)
    }
}
