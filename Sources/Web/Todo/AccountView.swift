import HTTP
import JSON
import Model

/// An account to its owner, who has just signed up or in: no other answer holds a token.
enum AccountView {
    static func response(_ status: Status, _ account: Account, token: String) -> Response {
        .json(status) { json in
            json.object { fields in
                fields.field("id", account.id)
                fields.field("name", account.name)
                fields.field("created_at", account.createdAt)
                fields.field("updated_at", account.updatedAt)
                fields.field("email", account.email)
                fields.field("authentication_token", token)
                // What an earlier app reads.
                fields.field("token", token)
            }
        }
    }
}
