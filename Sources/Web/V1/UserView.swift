import HTTP
import JSON
import Model

/// A user.
enum UserView {
    /// A user with the numbers of its records.
    static func response(_ summary: UserSummary) -> Response {
        .json(.ok) { json in
            json.object { fields in
                fields.field("id", summary.id)
                fields.field("events", summary.eventCount)
                fields.field("attendances", summary.attendanceCount)
            }
        }
    }

    /// A user after sign-up; no other response contains a token.
    static func response(_ user: User, token: String, named key: StaticString) -> Response {
        .json(.ok) { json in
            json.object { fields in
                fields.field(key, token)
                fields.field("id", user.id)
            }
        }
    }
}
