import HTTP
import JSON

extension Response {
    /// The media type of every JSON response.
    static let jsonType = "application/json; charset=utf-8"

    /// Creates a response with the JSON that `write` writes.
    static func json(_ status: Status, _ write: (inout JSONWriter) -> Void) -> Response {
        json(status, body: JSONWriter.bytes(write))
    }

    /// Creates a response with a JSON object, whose members `write` writes.
    static func object(_ status: Status, _ members: (inout JSONWriter) -> Void) -> Response {
        json(status) { $0.object(members) }
    }

    /// Creates a response with a text in UTF-8 of this media type.
    static func text(_ text: String, _ type: String) -> Response {
        Response(.ok, headers: ["content-type": type + "; charset=utf-8"], body: Array(text.utf8))
    }

    /// Creates a response with this JSON.
    static func json(_ status: Status, body: [UInt8]) -> Response {
        Response(status, headers: .ofJSON, body: body)
    }
}
