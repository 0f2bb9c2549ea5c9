/// An answer to a request; the serializer adds `Date`, `Content-Length` and `Connection`.
package struct Response: Sendable, Equatable {
    package var status: Status
    package var headers: Headers
    package var body: [UInt8]
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
