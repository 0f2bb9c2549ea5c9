/// A response to a request; the serializer adds `Date`, `Content-Length` and `Connection`.
package struct Response: Sendable, Equatable {
    package var status: Status
    package var headers: Headers
    package var body: [UInt8]
    /// Whether the request was rejected due to overload, so that the response can be delayed.
    ///
    /// Clients that are rejected immediately tend to retry immediately, at the expense of others.
    package var isShed = false
    /// The status for metrics and the log, if it differs from the one that is sent.
    ///
    /// Some clients crash on any response with an error status.
    package var recordedStatus: Status?

    package init(_ status: Status, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
