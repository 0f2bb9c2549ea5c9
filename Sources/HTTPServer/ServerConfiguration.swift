package import HTTP

/// The endpoint, limits and service of a server, and its observer.
package struct ServerConfiguration: Sendable {
    package var endpoint: Endpoint
    /// The number of event loops, each with its own thread; at least one.
    package var loops: Int
    package var limits: Limits
    /// The networks whose addresses are shared by many clients.
    ///
    /// The limit on connections per address doesn't apply to them.
    package var proxies: [IPNetwork]
    package var service: Service
    package var observer: LoopObserver

    package init(
        endpoint: Endpoint,
        loops: Int,
        limits: Limits,
        proxies: [IPNetwork] = [],
        service: Service,
        observer: LoopObserver = LoopObserver()
    ) {
        self.endpoint = endpoint
        self.loops = max(1, loops)
        self.limits = limits
        self.proxies = proxies
        self.service = service
        self.observer = observer
    }
}

/// The address or socket that a server listens on.
package enum Endpoint: Sendable {
    /// An IPv4 or IPv6 address, or a name that resolves to one, and a TCP port.
    ///
    /// With port 0, the system chooses one.
    case address(host: String, port: UInt16)
    /// An open, listening stream socket, which the server owns from now on.
    case descriptor(Int32)
}

/// The functions that respond to requests, called on the event loop of the connection.
package struct Service: Sendable {
    /// Responds to a complete request.
    let respond: @Sendable (Request) -> EventualResponse
    /// Returns the response to an invalid or rejected request.
    ///
    /// The connection is closed after it. The parameters are the status, a sentence for the client,
    /// and what is known of the request.
    let refuse: @Sendable (Status, String, Request?) -> Response
    /// Returns the address of the client whose request came through a proxy, or nil if unknown.
    ///
    /// The request may still be without its body.
    let clientAddress: @Sendable (Request) -> IPAddress?

    package init(
        respond: @escaping @Sendable (Request) -> EventualResponse,
        refuse: @escaping @Sendable (Status, String, Request?) -> Response,
        clientAddress: @escaping @Sendable (Request) -> IPAddress? = { _ in nil }
    ) {
        self.respond = respond
        self.refuse = refuse
        self.clientAddress = clientAddress
    }
}

/// The functions that are called on the thread of each event loop, for the thread's resources.
package struct LoopObserver: Sendable {
    /// Settling after each batch costs a single request 2 µs, and 0.6 µs under load.
    static let settleMilliseconds: Int64 = 5

    /// Called before the first connection.
    package var threadDidStart: @Sendable () -> Void = {}
    /// Called after each batch, before the loop polls again.
    package var batchDidFinish: @Sendable () -> Void = {}
    /// Called when the loop has been idle for `settleMilliseconds`, and as often while it is busy.
    ///
    /// The observer should release what it keeps for the next request.
    package var loopDidSettle: @Sendable () -> Void = {}
    /// Called when the system lacks descriptors or memory for another connection, which waits.
    ///
    /// The parameter is the system's error message. Called at most once in 10 s.
    package var acceptDidFail: @Sendable (String) -> Void = { _ in }
    /// Called with the number of responses that were dropped because their clients read too slowly.
    ///
    /// Called at most once in 10 s.
    package var responsesWereGivenUp: @Sendable (Int) -> Void = { _ in }
    /// Called after the last connection.
    package var threadWillStop: @Sendable () -> Void = {}

    package init() {}
}
