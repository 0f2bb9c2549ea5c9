import HTTP
import Model

/// Check-ins of Twosquare, open to everybody by its apps' design.
struct CheckinsController: Sendable {
    let checkins: any CheckinStore
    let maximumLimit: Int

    func index(_ call: Call) async throws -> Response {
        CheckinView.response(try await checkins.newest(limit: maximumLimit))
    }

    /// Keeps whatever is there: the app leaves out what it does not know, and all behind it.
    func create(_ call: Call) async throws -> Response {
        try await checkins.add(CheckinDraft(call.objectParameters()).checkin)
        return Response(.ok)
    }
}

extension CheckinDraft {
    /// What a request says of a check-in.
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
