import HTTP
import JSON
import Model

/// The attendances of an event.
enum AttendanceView {
    /// Returns the response with an attendance and the id of its event.
    static func response(_ attendance: Attendance) -> Response {
        .object(.ok) {
            $0.field("id", attendance.id)
            $0.object("event") { $0.field("id", attendance.eventID) }
        }
    }

    static func body(of attendances: [Attendance]) -> ListBody {
        .json(
            attendances,
            in: { json, list in
                json.object { fields in
                    fields.field("count", attendances.count)
                    fields.key("attendances")
                    list(&fields)
                }
            }
        ) { attendance, json in
            json.object { fields in
                fields.field("id", attendance.id)
                fields.object("user") { user in
                    user.field("id", attendance.userID)
                    if let name = attendance.userName { user.field("name", name) }
                }
            }
        }
    }
}
