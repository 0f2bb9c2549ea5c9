import HTTP
import JSON
import Model

/// A user who has just signed up: the one answer that holds a token.
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
