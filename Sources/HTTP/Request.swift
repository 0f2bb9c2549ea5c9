package import Addresses

/// A whole request: its head parsed and its body decoded.
package struct Request: Sendable, Equatable {
    package var method: Method
    /// The target's path as it came, still percent-encoded; always begins with `/`, or is `*`.
    package var path: String
    /// The target's query as it came, without the `?`; nil where there was none.
    package var query: String?
    package var headers: Headers
    /// The content after chunked decoding.
    package var body: [UInt8]
    /// Whether the client speaks HTTP/1.0 and not a later minor version.
    package var isHTTP10: Bool
    /// Whether the client wants to send more requests on this connection (RFC 9112 section 9.3).
    package var keepsAlive: Bool
    /// Where the connection comes from; nil where there is no Internet socket.
    package var peerAddress: IPAddress?
    /// The time from its first byte to its last, in ms.
    package var arrivalMilliseconds: Int64 = 0
    /// The time that it waited, once it had arrived, until small requests were served, in ms.
    package var turnMilliseconds: Int64 = 0

    package init(
        method: Method,
        path: String,
        query: String? = nil,
        headers: Headers = Headers(),
        body: [UInt8] = [],
        isHTTP10: Bool = false,
        keepsAlive: Bool = true
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isHTTP10 = isHTTP10
        self.keepsAlive = keepsAlive
    }
}
