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

    /// Returns the JSON of an attendance with that of its event.
    static func json(_ attendance: Attendance, _ event: [UInt8]) -> [UInt8] {
        JSONWriter.bytes { json in
            json.object {
                $0.field("id", attendance.id)
                $0.object("user") { $0.field("id", attendance.userID) }
                $0.key("event")
                $0.encoded(event.span)
            }
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
