import HTTP
import Logging
import Model
import Rules

/// Reports by users about events and users, of which the operator must learn.
struct ReportsController: Controller {
    let services: Services

    func createOfEvent(_ call: Call) async throws -> Response {
        try await create(call) { .event($0) }
    }

    func createOfUser(_ call: Call) async throws -> Response {
        try await create(call) { .user($0) }
    }

    private func create(
        _ call: Call,
        _ record: (Int64) -> ReportedRecord
    ) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        try services.limiter?.admitReport(call.request, token)
        let complaint = try Complaint(call.parameters())
        // An unknown token is an error before a malformed id.
        let id = (try? call.id()) ?? 0
        let report = try await services.moderation.report(record(id), complaint, by: token)
        guard let report else { throw RequestError.unauthorized }
        services.reports.note(report)
        return IDView.response(report.id)
    }
}

extension Complaint {
    /// Reads a report; throws `ModelError.invalid`.
    ///
    /// Without a reason, it is `reason`, or invalid if that is nil.
    init(_ parameters: Parameters, orElse reason: String? = nil) throws {
        var validation = Validation()
        let given = parameters["reason"]
        let read = validation.required(
            "Reason",
            given.isBlank && reason != nil ? .absent : given,
            keeping: reason,
            .reportReason
        )
        let note = validation.optional("Note", parameters["note"].nullIfBlank, .text(maximum: 1000))
        guard let read, validation.errors.isEmpty else {
            throw ModelError.invalid(validation.errors)
        }
        self.init(reason: read, note: note)
    }
}

extension Rule<String> {
    /// Accepts a reason that users can give.
    fileprivate static let reportReason = Rule { input throws(Violation) in
        if let text = input.spelling, ReportReason(rawValue: text) != nil { return text }
        let all = ReportReason.allCases.map(\.rawValue).joined(separator: ", ")
        throw Violation(predicate: "must be one of \(all)")
    }
}

/// Tells the operator of reports: in the log and in the metrics.
struct ReportNotice: Sendable {
    let logger: Logger
    let metrics: ReportMetrics

    /// Notes a report, unless nothing was stored.
    func note(_ report: StoredReport) {
        guard let openCount = report.openCount else { return }
        metrics.note(report.reason)
        logger.log(
            .warning,
            "reported",
            [
                "kind": report.record.noun, "id": String(report.record.id),
                "reason": report.reason, "open": String(openCount), "report": String(report.id),
            ]
        )
    }
}
