import Formats
import HTTP
import JSON
import Model

/// Check-ins in the format of the Twosquare app, which crashes on null and on anything but an
/// array.
enum CheckinView {
    /// The maximum size of a check-in without its texts, in bytes.
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
        json.object { fields in
            fields.members(of: stored.checkin)
            fields.field("id", stored.id)
        }
    }
}
