import HTTP
import JSON
import Model

/// Responses with a user.
enum UserView {
    /// Returns a user with the numbers of the user's events and attendances.
    static func response(_ summary: UserSummary) -> Response {
        .object(.ok) { fields in
            fields.field("id", summary.id)
            fields.field("events", summary.eventCount)
            fields.field("attendances", summary.attendanceCount)
            if let name = summary.name { fields.field("name", name) }
            if !summary.issuers.isEmpty {
                fields.array("issuers", summary.issuers) { $0.value($1) }
            }
            if summary.isBanned { fields.field("banned", true) }
        }
    }

    /// Returns a user after sign-up; no other response contains a token.
    static func response(_ user: User, token: String, named key: StaticString) -> Response {
        .object(.ok) { fields in
            fields.field(key, token)
            fields.field("id", user.id)
        }
    }
}
