package import Addresses
package import HTTP

/// What a server listens on, what it serves, and whom it tells.
package struct ServerConfiguration: Sendable {
    package var endpoint: Endpoint
    /// How many event loops, each a thread; at least one.
    package var loops: Int
    package var limits: Limits
    /// Where many clients share an address, so that the limit on one address's connections does
    /// not hold.
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

/// Where a server listens.
package enum Endpoint: Sendable {
    /// At an IPv4 or IPv6 address, or a name that resolves to one, and a TCP port; 0 lets the
    /// system choose one.
    case address(host: String, port: UInt16)
    /// At a listening stream socket that somebody else has opened; the server takes it over.
    case descriptor(Int32)
}

/// What answers requests; all functions run on the event loop of the connection.
package struct Service: Sendable {
    /// Answers a whole request.
    let respond: @Sendable (Request) async -> Response
    /// Makes the answer to bytes that are no acceptable request, after which the connection is
    /// closed: from the status, a sentence for the client, and what is known of the request.
    let refuse: @Sendable (Status, String, Request?) -> Response
    /// Returns whether the response to a request may be a long list, so that the request may have
    /// to wait until small ones have been served.
    let isList: @Sendable (Request) -> Bool
    /// Returns the address of the client that sent a request by way of a proxy, or nil if it is not
    /// known; the request may still be without its body.
    let clientAddress: @Sendable (Request) -> IPAddress?

    package init(
        respond: @escaping @Sendable (Request) async -> Response,
        refuse: @escaping @Sendable (Status, String, Request?) -> Response,
        isList: @escaping @Sendable (Request) -> Bool = { _ in false },
        clientAddress: @escaping @Sendable (Request) -> IPAddress? = { _ in nil }
    ) {
        self.respond = respond
        self.refuse = refuse
        self.isList = isList
        self.clientAddress = clientAddress
    }
}

/// Is called on the thread of each event loop, to keep resources that belong to the thread.
package struct LoopObserver: Sendable {
    /// To do it after each batch costs a request that comes alone 2 µs, and 0.6 under load.
    static let settleMilliseconds: Int64 = 5

    /// Before the first connection.
    package var threadDidStart: @Sendable () -> Void = {}
    /// After each batch: the loop is about to see what else has become ready.
    package var batchDidFinish: @Sendable () -> Void = {}
    /// When the loop has been without work for `settleMilliseconds`, and as often while it is
    /// busy: the time to give up what was kept for the next request.
    package var loopDidSettle: @Sendable () -> Void = {}
    /// When the system lacks the descriptors or the memory for another connection, which waits,
    /// with the system's words for it; at most once in 10 s.
    package var acceptDidFail: @Sendable (String) -> Void = { _ in }
    /// When responses were given up because their clients read too slowly, with their number; at
    /// most once in 10 s.
    package var responsesWereGivenUp: @Sendable (Int) -> Void = { _ in }
    /// After the last connection.
    package var threadWillStop: @Sendable () -> Void = {}

    package init() {}
}
