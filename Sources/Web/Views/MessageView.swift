import HTTP
import JSON

/// An object with a message.
enum MessageView {
    static func response(_ message: String) -> Response {
        .json(.ok) { json in json.object { fields in fields.field("message", message) } }
    }
}
