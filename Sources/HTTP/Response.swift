/// An answer to a request; the serializer adds `Date`, `Content-Length` and `Connection`.
package struct Response: Sendable {
    package var status: Status
    package var headers: Headers
    /// The body; unused if there is a stream.
    package var body: [UInt8]
    /// Makes the body while it is sent, if there is one; its end closes a connection of HTTP/1.0.
    package var stream: (any BodyStream)?
    /// Is called once on the connection's loop, after the stream is closed.
    package var streamDidEnd: (@Sendable (BodyStreamEnd) -> Void)?
    /// Whether the server had no room for the request, so that it may let the client wait for this
    /// answer: who is refused at once comes again at once, and costs others their turns.
    package var isShed = false
    /// The status for metrics and the log, where it is not the one that is sent: some clients crash
    /// on any response that says it is a failure.
    package var recordedStatus: Status?

    package init(_ status: Status, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension Response: Equatable {
    /// Whether both are the same response; streams are equal if they are the same object.
    package static func == (first: Response, second: Response) -> Bool {
        first.status == second.status && first.headers == second.headers
            && first.body == second.body && first.stream === second.stream
            && first.isShed == second.isShed && first.recordedStatus == second.recordedStatus
    }
}
