import Formats
import JSON
import Model

/// Check-ins in the format of the Twosquare app, which crashes on null and on anything but an
/// array.
enum CheckinView {
    static func body(of checkins: [CheckinRecord]) -> ListBody {
        .json(checkins, write)
    }

    /// Returns the JSON of a check-in.
    static func json(_ checkin: CheckinRecord) -> [UInt8] {
        JSONWriter.bytes { write(checkin, &$0) }
    }

    private static func write(_ stored: CheckinRecord, _ json: inout JSONWriter) {
        json.object { fields in
            fields.members(of: stored.checkin)
            fields.field("id", stored.id)
        }
    }
}
