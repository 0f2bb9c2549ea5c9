/// Every limit of the server in one value; each can be set, none can be switched off.
package struct Limits: Sendable, Equatable {
    /// Bytes of a request's head: request line, header fields and the empty line.
    package var headBytes = 16 * 1024
    /// Header fields of a request.
    package var headerCount = 100
    /// Bytes of a request target.
    package var targetBytes = 8 * 1024
    /// Bytes of a request's content, after chunked decoding.
    package var bodyBytes = 1024 * 1024
    /// Bytes of the extensions of all chunks of a request.
    package var chunkExtensionBytes = 4096
    /// Nesting of arrays and objects in a JSON body.
    package var jsonDepth = 64
    /// Connections open at once.
    package var connections = 10_000
    /// Connections open at once from one address.
    package var connectionsPerAddress = 1000
    /// Memory for requests without a response, on all connections together, in MB.
    package var requestMegabytes = 32
    /// Memory for requests without a response from one address, in MB.
    package var requestMegabytesPerAddress = 8
    /// Memory for responses that clients have not read yet, on all connections together, in MB.
    package var responseMegabytes = 64
    /// Events in one answer of a nearest query.
    package var results = 1000
    /// Writes waiting for the writer.
    package var writerQueue = 10_000
    /// Passwords waiting to be hashed or checked.
    package var hashingQueue = 32
    /// Memory for events that are read often, in MB, of all threads together.
    package var eventCacheMegabytes = 256
    /// Time for a whole head to arrive once it has begun, in ms.
    package var headMilliseconds = 10_000
    /// Time for a whole body to arrive, in ms.
    package var bodyMilliseconds = 30_000
    /// Time a connection may stay open between two requests, in ms.
    package var idleMilliseconds = 75_000
    /// Time a client may take to read an answer before any of it moves, in ms.
    package var writeMilliseconds = 30_000
    /// Time that requests in flight have to finish when the server stops, in ms.
    package var shutdownMilliseconds = 10_000

    /// Time in which a connection without a request may still send one when the server stops, in
    /// ms.
    ///
    /// A phone that has just been answered knows nothing of the stop: it needs a slow network's
    /// round trip, and the time to read the answer, until its next request is here.
    package var drainMilliseconds = 1_000

    /// Time that a client is kept waiting whom the server refuses for want of room, in ms.
    package var refusalMilliseconds = 250

    package init() {}
}
