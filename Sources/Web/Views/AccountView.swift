import Formats
import HTTP
import JSON
import Model

/// An account after sign-up or sign-in; no other response of Todo contains a token.
enum AccountView {
    static func response(_ status: Status, _ account: Account, token: String) -> Response {
        .object(status) { fields in
            fields.field("id", account.id)
            fields.field("name", account.name)
            fields.field("created_at", account.createdAt)
            fields.field("updated_at", account.updatedAt)
            fields.field("email", account.email)
            fields.field("authentication_token", token)
            // An earlier app reads this key.
            fields.field("token", token)
        }
    }
}
