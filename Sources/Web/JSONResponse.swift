import HTTP
import JSON
import Model

extension Response {
    /// The media type of every JSON answer.
    static let jsonType = "application/json; charset=utf-8"

    /// An answer whose body is what `write` writes.
    static func json(_ status: Status, _ write: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        write(&writer)
        var headers = Headers()
        headers.append("content-type", jsonType)
        return Response(status, headers: headers, body: writer.bytes)
    }
}
