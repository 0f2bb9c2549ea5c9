import HTTP
import JSON
import Model

extension Response {
    /// The media type of every JSON response.
    static let jsonType = "application/json; charset=utf-8"

    /// The number of headers: content type, entity tag, cache control, request id, and one more.
    private static let fieldCount = 5

    /// Creates a response with the JSON that `write` writes, about `capacity` bytes.
    static func json(
        _ status: Status,
        capacity: Int = 512,
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(status, body: writer.bytes)
    }

    /// Creates a response with this JSON.
    static func json(_ status: Status, body: [UInt8]) -> Response {
        var headers = Headers()
        headers.reserveCapacity(fieldCount)
        headers.append("content-type", jsonType)
        return Response(status, headers: headers, body: body)
    }
}
