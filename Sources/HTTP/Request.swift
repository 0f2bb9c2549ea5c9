/// A complete request with its decoded body.
package struct Request: Sendable, Equatable {
    package var method: Method
    /// The target's path, still percent-encoded; starts with `/`, or is `*`.
    ///
    /// The parser makes several slashes in a row one.
    package var path: String
    /// The target's query without the `?`, still encoded; nil for a target without `?`.
    package var query: String?
    package var headers = Headers()
    /// The body after chunked decoding.
    package var body: [UInt8] = []
    /// Whether the client uses HTTP/1.0.
    package var isHTTP10 = false
    /// Whether the client can send more requests on this connection (RFC 9112 section 9.3).
    package var keepsAlive = true
    /// The address of the connection's other end; nil without an Internet socket.
    package var peerAddress: IPAddress?
    /// The time from the first to the last byte, in ms.
    package var arrivalMilliseconds: Int64 = 0
}
