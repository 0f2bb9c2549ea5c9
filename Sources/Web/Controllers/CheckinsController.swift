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
        try await services.checkins.add(CheckinDraft(call.objectParameters()).checkin)
        return Response(.ok)
    }
}

extension CheckinDraft {
    /// Reads the draft of a check-in from a request.
    fileprivate init(_ parameters: Parameters) {
        self.init(
            name: parameters["nombre"],
            category: parameters["categoria"],
            rating: parameters["calificacion"],
            latitude: parameters["latitud"],
            longitude: parameters["longitud"],
            userName: parameters["usuario"],
            localTime: parameters["fechaCreacion"]
        )
    }
}
