import HTTP
import JSON
import Model
import Time

/// Check-ins in the format of the Twosquare app, which crashes on null and on anything but an
/// array.
enum CheckinView {
    /// The greatest size of a check-in without its texts, in bytes.
    private static let bareBytes = 224

    static func response(_ checkins: [StoredCheckin]) -> Response {
        let capacity = checkins.reduce(2) { sum, stored in
            let texts = [stored.checkin.name, stored.checkin.category, stored.checkin.userName]
            return texts.reduce(sum + bareBytes) { $0 + ($1?.utf8.count ?? 0) }
        }
        return .json(.ok, capacity: capacity) { json in
            json.array(checkins) { writer, stored in write(stored, to: &writer) }
        }
    }

    private static func write(_ stored: StoredCheckin, to json: inout JSONWriter) {
        let checkin = stored.checkin
        json.object { fields in
            if let name = checkin.name { fields.field("nombre", name) }
            if let category = checkin.category { fields.field("categoria", category) }
            if let rating = checkin.rating { fields.field("calificacion", rating) }
            if let latitude = checkin.latitude { fields.field("latitud", latitude) }
            if let longitude = checkin.longitude { fields.field("longitud", longitude) }
            if let userName = checkin.userName { fields.field("usuario", userName) }
            fields.field("fechaCreacion", WallClock.text(checkin.localTime))
            fields.field("id", stored.id)
        }
    }
}
