import HTTP
import JSON

/// An object with a message.
enum MessageView {
    static func response(_ message: String) -> Response {
        .object(.ok) { $0.field("message", message) }
    }
}
