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
        try await checkins.add(Checkin(call.objectParameters()))
        return Response(.ok)
    }
}

extension Checkin {
    /// What a request says of a check-in.
    init(_ parameters: Parameters) {
        self.init(
            name: Self.text(parameters["nombre"]),
            category: Self.text(parameters["categoria"]),
            rating: Self.number(parameters["calificacion"]),
            latitude: Self.number(parameters["latitud"], in: -90...90),
            longitude: Self.number(parameters["longitud"], in: -180...180),
            userName: Self.text(parameters["usuario"]),
            localTime: Self.text(parameters["fechaCreacion"]).flatMap(WallClock.time) ?? .now()
        )
    }
}
