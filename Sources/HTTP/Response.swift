/// A response to a request; the serializer adds `Date`, `Content-Length` and `Connection`.
package struct Response: Sendable {
    package var status: Status
    package var headers: Headers
    /// The body; unused if there is a stream.
    package var body: [UInt8]
    /// A stream that makes the body while it is sent; its end closes an HTTP/1.0 connection.
    package var stream: (any BodyStream)?
    /// Whether the connection ends with the stream, even if the client could reuse it.
    package var endsConnection = false
    /// Called once on the connection's loop, after the stream is closed.
    package var streamDidEnd: (@Sendable (BodyStreamEnd) -> Void)?
    /// Whether the request was rejected due to overload, so that the response can be delayed.
    ///
    /// Clients that are rejected immediately tend to retry immediately, at the expense of others.
    package var isShed = false
    /// The status for metrics and the log; nil to record the status that is sent.
    ///
    /// Some clients crash on any response with an error status.
    package var recordedStatus: Status?
    /// The time that it took to write the body of a list.
    package var rendering = RenderingTime()

    package init(_ status: Status, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How long it took to write a body, in µs.
package struct RenderingTime: Sendable {
    /// The time spent writing.
    package var work: Int64 = 0
    /// The time spent paused, so that the loop could serve other requests.
    package var pauses: Int64 = 0

    package init() {}
}
