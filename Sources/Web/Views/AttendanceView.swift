import JSON
import Model

/// The attendances of an event.
enum AttendanceView {
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
                fields.object("user") { user in user.field("id", attendance.userID) }
            }
        }
    }
}
