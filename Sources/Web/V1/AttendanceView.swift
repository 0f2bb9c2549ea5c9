import HTTP
import JSON
import Model

/// The attendances of an event.
enum AttendanceView {
    /// The size of an attendance with ids of up to eight digits.
    private static let bytes = 40

    static func response(_ attendances: [Attendance]) -> Response {
        .json(.ok, capacity: 64 + attendances.count * bytes) { json in
            json.object { fields in
                fields.field("count", attendances.count)
                fields.array("attendances", attendances) { writer, attendance in
                    writer.object { fields in
                        fields.field("id", attendance.id)
                        fields.object("user") { user in user.field("id", attendance.userID) }
                    }
                }
            }
        }
    }
}
