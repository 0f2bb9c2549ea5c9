import HTTP
import Model

/// Check-ins of Twosquare, open to everybody by its apps' design.
struct CheckinsController: Sendable {
    /// The app's own list, in its order.
    private static let usualCategories = ["bar", "restaurante", "tienda"]

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

    /// The app's own categories, then the others that are in use.
    func categories(_ call: Call) async throws -> Response {
        let used = try await checkins.categories(limit: maximumLimit)
        let others = used.filter { !Self.usualCategories.contains($0) }
        return CategoryView.response(Self.usualCategories + others)
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
