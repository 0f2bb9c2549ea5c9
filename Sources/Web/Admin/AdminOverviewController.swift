import Formats
import HTTP
import JSON
import Model
import Time

/// The state of the server, its settings, and what was done.
struct AdminOverviewController: AdminController {
    let services: AdminServices

    func show(_ call: AdminCall) async throws -> Response {
        let overview = await services.surroundings.overview()
        let totals = try await services.moderation.adminTotals()
        return .object(.ok) { fields in
            fields.field("version", services.version)
            fields.field("started_at", overview.startedAt)
            fields.field(
                "database",
                services.surroundings.isPostgreSQL ? "postgresql" : "sqlite"
            )
            if let bytes = overview.bytes {
                fields.object("bytes") { fields in
                    fields.field("database", bytes.database)
                    fields.field("wal", bytes.log)
                    fields.field("backups", bytes.backups)
                }
            }
            fields.object("records") { fields in
                fields.field("events", totals.events)
                fields.field("hidden", totals.hiddenEvents)
                fields.field("users", totals.users)
                fields.field("attendances", totals.attendances)
                fields.field("accounts", totals.accounts)
            }
            fields.field("open_reports", totals.reports.open)
            fields.field("oldest_report", totals.reports.oldest)
            fields.field("last_backup", overview.lastBackup)
            fields.array("findings", overview.findings) { json, finding in
                json.object { fields in
                    fields.field("grade", finding.grade)
                    fields.field("subject", finding.subject)
                    fields.field("text", finding.text)
                    fields.field("advice", finding.advice)
                }
            }
        }
    }

    func settings(_ call: AdminCall) async throws -> Response {
        .object(.ok) { fields in
            fields.page(services.surroundings.settings) { fields, setting in
                fields.field("name", setting.name)
                fields.field("value", setting.value)
                fields.field("origin", setting.origin)
            }
        }
    }

    func actions(_ call: AdminCall) async throws -> Response {
        let list = try AdminList(call)
        let actions = try await services.moderation.actions(
            before: list.cursorID(),
            limit: list.limit + 1
        )
        let now = Timestamp.now()
        return list.response(actions, cursor: { String($0.id) }) { $0.action($1, now) }
    }

    func undo(_ call: AdminCall) async throws -> Response {
        let done = try await services.moderation.undo(call.call.id(), by: call.admin.name)
        services.log(.undo, done.kind, "\(done.recordID ?? 0)", by: call.admin)
        // The list shortens long values.
        let listed = try await services.moderation.actions(before: done.id + 1, limit: 1).first
        return .object(.ok) { $0.action(listed ?? done, .now()) }
    }
}

extension JSONWriter {
    /// Writes the members of an action of the audit at a time.
    fileprivate mutating func action(_ action: DoneAction, _ now: Timestamp) {
        field("id", action.id)
        field("actor", action.actor)
        field("at", action.at)
        field("action", action.action)
        field("kind", action.kind)
        field("record", action.recordID)
        values("before", action.before)
        values("after", action.after)
        field("can_undo", action.canUndo(at: now))
        if let undoneBy = action.undoneBy { field("undone_by", undoneBy) }
    }

    /// Writes a member with stored JSON, or null.
    private mutating func values(_ key: StaticString, _ json: String?) {
        self.key(key)
        if let json { encoded(Array(json.utf8).span) } else { null() }
    }
}
