import JSON
import Model
import Time
import Web

extension CheckinRecord: JSONFileRecord {
    static let kind = RecordKind.checkins

    /// Reads the keys of `GET /api/checkins`; what makes no sense is left out, as it is there.
    init(_ object: JSONObject) throws(RecordError) {
        var reasons: [String] = []
        let id = RecordID.optional(Input(object["id"]), &reasons)
        guard reasons.isEmpty else {
            throw RecordError(reason: reasons.joined(separator: "; "))
        }
        let draft = CheckinDraft(
            name: Input(object["nombre"]),
            category: Input(object["categoria"]),
            rating: Input(object["calificacion"]),
            latitude: Input(object["latitud"]),
            longitude: Input(object["longitud"]),
            userName: Input(object["usuario"]),
            localTime: Input(object["fechaCreacion"])
        )
        self.init(id: id, checkin: draft.checkin)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            if let id { $0.field("id", id) }
            if let name = checkin.name { $0.field("nombre", name) }
            if let category = checkin.category { $0.field("categoria", category) }
            if let rating = checkin.rating { $0.field("calificacion", rating) }
            if let latitude = checkin.latitude { $0.field("latitud", latitude) }
            if let longitude = checkin.longitude { $0.field("longitud", longitude) }
            if let userName = checkin.userName { $0.field("usuario", userName) }
            $0.field("fechaCreacion", WallClock.text(checkin.localTime))
        }
    }
}
