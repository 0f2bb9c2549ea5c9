import Formats
import HTTP
import JSON
import Model
import Rules

/// The check-ins of Twosquare, which need no authentication.
struct CheckinsController: Controller {
    /// The app's own list of categories, in its order.
    private static let usualCategories = ["bar", "restaurante", "tienda"]

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

    /// Returns the app's own categories, then all others in use that are not blank.
    func categories(_ call: Call) async throws -> Response {
        let used = try await services.checkins.categories(limit: services.limits.results)
        let names = Self.usualCategories
        let others = used.filter { !names.contains($0) && !Input.text($0).isBlank }
        return .json(.ok) { json in json.array(names + others) { $0.value($1) } }
    }
}
