import Formats
import JSON
import Model

/// Check-ins in the format of the Twosquare app, which crashes on null and on anything but an
/// array.
enum CheckinView {
    static func body(of checkins: [CheckinRecord]) -> ListBody {
        .json(checkins) { stored, json in
            json.object { fields in
                fields.members(of: stored.checkin)
                fields.field("id", stored.id)
            }
        }
    }
}
