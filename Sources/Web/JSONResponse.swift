import HTTP
import JSON
import Model

extension Response {
    /// The media type of every JSON answer.
    static let jsonType = "application/json; charset=utf-8"

    /// Fields of an answer: its type, its entity tag, who may keep it, its request's id, and one
    /// more.
    private static let fieldCount = 5

    /// An answer whose body is what `write` writes, about `capacity` bytes.
    static func json(
        _ status: Status,
        capacity: Int = 512,
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(status, body: writer.bytes)
    }

    /// An answer whose body is this JSON.
    static func json(_ status: Status, body: [UInt8]) -> Response {
        var headers = Headers()
        headers.reserveCapacity(fieldCount)
        headers.append("content-type", jsonType)
        return Response(status, headers: headers, body: body)
    }
}
