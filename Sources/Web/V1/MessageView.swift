import HTTP
import JSON

/// A sentence.
enum MessageView {
    static func response(_ message: String) -> Response {
        .json(.ok) { json in json.object { fields in fields.field("message", message) } }
    }
}
