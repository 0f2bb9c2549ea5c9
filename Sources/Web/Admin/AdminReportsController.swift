import Formats
import HTTP
import JSON
import Model
import Rules
import Time

/// The reports of users.
struct AdminReportsController: AdminController {
    let services: AdminServices

    /// Lists the records with open reports, oldest first, or all reports of one record.
    func index(_ call: AdminCall) async throws -> Response {
        let list = try AdminList(call)
        if let id = try list.id("event") { return try await reports(about: .event(id), list) }
        if let id = try list.id("user") { return try await reports(about: .user(id), list) }
        let after = try list.cursor.map { text in
            guard let cursor = OpenReports.Cursor(text) else {
                throw ModelError.invalidParameter("cursor")
            }
            return cursor
        }
        let found = try await services.moderation.openReports(after: after, limit: list.limit + 1)
        let ids = found.compactMap { reports in
            if case .event(let id) = reports.record { id } else { nil }
        }
        let events = try await AdminEventsController(services: services.api).events(ids)
        return list.response(found, cursor: { $0.cursor.text }) { fields, reports in
            fields.field("kind", reports.record.noun)
            fields.field("id", reports.record.id)
            fields.field("since", reports.since)
            fields.field("reporters", reports.count)
            fields.object("reasons") { fields in
                for (reason, count) in reports.reasons {
                    fields.key(text: reason)
                    fields.value(count)
                }
            }
            fields.object("latest") { $0.report(reports.latest) }
            if case .event(let id) = reports.record, let event = events[id] {
                fields.key("event")
                fields.event(event, reports: reports.count) { _ in }
            }
        }
    }

    /// Closes the open reports of a record with an action.
    func resolve(_ call: AdminCall) async throws -> Response {
        let parameters = try call.call.objectParameters()
        let (event, user) = (parameters["event"], parameters["user"])
        guard event.isAbsent != user.isAbsent else {
            throw RequestError.malformed("Send either event or user, with an id.")
        }
        let record =
            event.isAbsent
            ? user.recordID.map(ReportedRecord.user) : event.recordID.map(ReportedRecord.event)
        let allowed: [AdminAction] =
            if case .user = record { [.ban, .dismiss] } else { [.hide, .delete, .ban, .dismiss] }
        guard let record else {
            throw ModelError.invalidParameter(event.isAbsent ? "user" : "event")
        }
        let action = parameters["action"].spelling.flatMap(AdminAction.init)
        guard let action, allowed.contains(action) else {
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw ModelError.invalid([AttributeError("Action", "must be one of \(names)")])
        }
        let resolved = try await services.moderation.resolve(
            record,
            action,
            by: call.admin.name
        )
        services.log(action, record.noun, "\(record.id)", by: call.admin)
        return Response.object(.ok) { $0.field("resolved", resolved.reports) }
            .noting(resolved.action)
    }

    private func reports(about record: ReportedRecord, _ list: AdminList) async throws -> Response {
        let found = try await services.moderation.reports(
            about: record,
            before: list.cursorID(),
            limit: list.limit + 1
        )
        return list.response(found, cursor: { String($0.id) }) { $0.report($1) }
    }
}

extension OpenReports.Cursor {
    /// The text of the position, such as `1764550923000.1.7`.
    fileprivate var text: String { "\(since.milliseconds).\(record.kind).\(record.id)" }

    /// Reads such a text; nil for others.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: ".").map { Int64($0) }
        guard parts.count == 3, let since = parts[0], let kind = parts[1], let id = parts[2],
            let record = ReportedRecord(kind: kind, id: id)
        else { return nil }
        self.init(since: Timestamp(milliseconds: since), record: record)
    }
}

extension JSONWriter {
    /// Writes the members of a report.
    fileprivate mutating func report(_ report: Report) {
        field("id", report.id)
        field("reason", report.reason)
        field("note", report.note)
        field("at", report.at)
        // The list of words reports as nobody, and deleted users have no number any more.
        key("reporter")
        if report.reporterID > 0 {
            object { $0.field("id", report.reporterID) }
        } else {
            null()
        }
        if let resolvedAt = report.resolvedAt {
            field("resolved_at", resolvedAt)
            field("outcome", report.outcome)
        }
    }
}
