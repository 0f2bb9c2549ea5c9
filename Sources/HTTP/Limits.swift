/// All limits of the HTTP server; each can be changed, but none can be turned off.
package struct Limits: Sendable, Equatable {
    /// The size of a request's head, in bytes: request line, header fields and the empty line.
    package var headBytes = 16 * 1024
    /// The number of header fields in a request.
    package var headerCount = 100
    /// The length of a request target, in bytes.
    package var targetBytes = 8 * 1024
    /// The size of a request's body after chunked decoding, in bytes.
    package var bodyBytes = 1024 * 1024
    /// The size of all chunk extensions of a request, in bytes.
    package var chunkExtensionBytes = 4096
    /// The number of open connections.
    package var connections = 10_000
    /// The number of open connections of one address.
    package var connectionsPerAddress = 1000
    /// The memory for requests without a response, of all connections together, in MB.
    package var requestMegabytes = 32
    /// The memory for requests without a response of one address, in MB.
    package var requestMegabytesPerAddress = 8
    /// The memory for responses that clients have not read yet, of all connections together, in MB.
    package var responseMegabytes = 64
    /// The time for a head to arrive after its first byte, in ms.
    package var headMilliseconds = 10_000
    /// The time for a body to arrive, in ms.
    package var bodyMilliseconds = 30_000
    /// The time that a connection can stay open between two requests, in ms.
    package var idleMilliseconds = 75_000
    /// The time that a client can take to read any part of a response, in ms.
    package var writeMilliseconds = 30_000
    /// The time for a client to read some of its response when others need the memory, in ms.
    package var stallMilliseconds = 2_000
    /// The time that a request for a list can wait for its turn and for memory, in ms.
    package var listMilliseconds = 10_000
    /// The time for in-flight requests to finish when the server stops, in ms.
    package var shutdownMilliseconds = 10_000

    /// The time for idle connections to send one more request when the server stops, in ms.
    ///
    /// A phone that has just received a response doesn't know that the server stops. Its next
    /// request takes a round trip on a slow network, plus the time to process the response.
    package var drainMilliseconds = 1_000

    /// The time after which a response no longer waits to be sent together with others, in ms.
    package var sendMilliseconds = 2

    /// The delay before an overloaded server rejects a client, in ms.
    package var refusalMilliseconds = 250

    package init() {}
}
