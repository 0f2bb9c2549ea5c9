import Formats
import HTTP
import Model
import Rules

/// The check-ins of Twosquare, which need no authentication.
struct CheckinsController: Sendable {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let checkins = try await services.checkins.newest(limit: services.limits.results)
        return await CheckinView.body(of: checkins).response(.ofJSON)
    }

    /// Stores all valid fields: the app omits unknown ones and all that follow them.
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.objectParameters()
        let checkin = Checkin { parameters[$0] }
        let id = try await services.checkins.add(checkin)
        guard call.request.prefersRepresentation else { return Response(.ok) }
        let record = CheckinRecord(id: id, checkin: checkin)
        return .record(CheckinView.json(record), at: nil, call.request.method)
    }
}
