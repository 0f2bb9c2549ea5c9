import HTTP
import Logging
import Model
import Rules

/// The users whose events a user doesn't want to see.
struct BlocksController: Controller {
    let services: Services

    /// Blocks a user, or the owner of an event, and reports that.
    func create(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let parameters = try call.parameters()
        let complaint = try Complaint(parameters, orElse: ReportReason.ofBlocks)
        let record =
            parameters["user", "id"].recordID.map(ReportedRecord.user)
            ?? parameters["event", "id"].recordID.map(ReportedRecord.event)
        // Too many reports don't keep a user from blocking.
        let mayReport = (try? services.limiter?.admitReport(call.request, token)) != nil
        let made = try await services.moderation.block(
            record ?? .user(0),
            services.limiter == nil || mayReport ? complaint : nil,
            by: token
        )
        guard let made else { throw RequestError.unauthorized }
        if let report = made.report {
            services.reports.note(report)
        } else {
            services.reports.metrics.noteSkipped()
        }
        return IDView.response(made.blockedID)
    }

    func index(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let blocks = try await services.moderation.blocks(of: token).orThrow(.unauthorized)
        return await BlockView.body(of: blocks).response(.ofJSON)
    }

    func destroy(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let id = (try? call.id()) ?? 0
        let wasBlocked = try await services.moderation.unblock(id, by: token).orThrow(.unauthorized)
        guard wasBlocked else { throw RequestError.notFound }
        return Response(.noContent)
    }
}
