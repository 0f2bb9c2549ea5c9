import HTTP
import JSON
import Model

/// A user after sign-up; no other response contains a token.
enum UserView {
    static func response(_ user: User, token: String, named key: StaticString) -> Response {
        .json(.ok) { json in
            json.object { fields in
                fields.field(key, token)
                fields.field("id", user.id)
            }
        }
    }
}
