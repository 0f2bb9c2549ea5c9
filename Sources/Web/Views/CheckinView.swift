import Formats
import JSON
import Model

/// Check-ins in the format of the Twosquare app, which crashes on null and on anything but an
/// array.
enum CheckinView {
    /// The maximum size of a check-in without its texts, in bytes.
    private static let bareBytes = 224

    static func body(of checkins: [CheckinRecord]) -> ListBody {
        let capacity = checkins.reduce(0) { sum, stored in
            let texts = [stored.checkin.name, stored.checkin.category, stored.checkin.userName]
            return texts.reduce(sum + bareBytes) { $0 + ($1?.utf8.count ?? 0) }
        }
        return .json(checkins, capacity: capacity) { stored, json in
            json.object { fields in
                fields.members(of: stored.checkin)
                fields.field("id", stored.id)
            }
        }
    }
}
