import CLinux
import Glibc
import HTTP
import System

/// An HTTP/1.1 server: a listening socket and a number of event loops, each on its own thread.
package final class Server: Sendable {
    /// The port it listens on, even if the system chose it; 0 for a socket without ports.
    package let port: UInt16

    /// The maximum number of connections; lower than the setting if descriptors are scarce.
    package let connectionLimit: Int

    private let openConnections: AddressBudget
    /// The memory of requests without a response, in bytes.
    ///
    /// It counts memory in use, and not the announced `Content-Length`.
    private let requests: AddressBudget
    private let responses: ResponseBudget
    private let loops: [EventLoop]
    private let threads: Mutex<[POSIXThread]>

    /// Listens and serves; connections are accepted when it returns.
    ///
    /// Throws `ServerError` if the address can't be bound or the system lacks descriptors, and
    /// `ThreadError` if it lacks threads.
    package init(_ configuration: ServerConfiguration) throws {
        let limits = configuration.limits
        let (served, turnedAway) = try DescriptorLimit.connections(
            DescriptorLimit.raise(),
            loops: configuration.loops,
            wanted: limits.connections,
            turnedAway: Listener.turnedAwayAtOnce
        )
        let socket = try ListeningSocket(configuration.endpoint)
        port = socket.port
        let openConnections = AddressBudget(
            limit: served,
            limitPerAddress: limits.connectionsPerAddress,
            proxies: configuration.proxies
        )
        // There is always room for one request of maximum size; an array doubles its capacity.
        let largestRequest = 2 * (limits.headBytes + limits.bodyBytes)
        let requests = AddressBudget(
            limit: max(limits.requestMegabytes << 20, largestRequest),
            limitPerAddress: max(limits.requestMegabytesPerAddress << 20, largestRequest)
        )
        let responses = ResponseBudget(
            limit: limits.responseMegabytes << 20,
            stallMilliseconds: Int64(limits.stallMilliseconds)
        )
        var loops: [EventLoop] = []
        for _ in 0..<configuration.loops {
            loops.append(
                try EventLoop(
                    configuration: configuration,
                    openConnections: openConnections,
                    requests: requests,
                    responses: responses
                )
            )
        }
        self.loops = loops
        self.openConnections = openConnections
        self.requests = requests
        self.responses = responses
        connectionLimit = served
        var threads: [POSIXThread] = []
        for loop in loops { threads.append(try POSIXThread { loop.run() }) }
        self.threads = Mutex(threads)
        loops.first?.listen(
            on: socket.descriptor,
            for: loops,
            turnedAway: AddressBudget(limit: turnedAway)
        )
    }

    /// Throws the `ServerError` that would prevent a server from listening; doesn't listen.
    package static func checkAddress(host: String, port: UInt16) throws {
        try ListeningSocket.check(host: host, port: port)
    }

    /// The number of open connections.
    package var connectionCount: Int { openConnections.total }
    /// The number of connections that were accepted since the start.
    package var acceptedCount: Int { openConnections.increases }
    /// The number of connections that were rejected since the start because the server was full.
    package var turnedAwayCount: Int { openConnections.refused(.full) }
    /// The number of connections that were rejected since the start for too many of one address.
    package var turnedAwayByAddressCount: Int { openConnections.refused(.addressFull) }

    /// The number of times that the system lacked descriptors or memory for another connection.
    package var acceptFailureCount: Int { openConnections.refused(.systemFull) }

    /// The memory of unfinished requests, in bytes.
    package var requestBytes: Int { requests.total }
    /// The number of requests that were rejected since the start for lack of memory.
    package var requestRefusalCount: Int {
        requests.refused(.full) + requests.refused(.addressFull)
    }
    /// The memory of responses that clients have not read yet, in bytes.
    package var responseBytes: Int { responses.bytes }
    /// The number of responses that were dropped since the start for lack of memory.
    package var givenUpResponseCount: Int { responses.givenUp }

    /// Stops accepting, and waits up to the limit for in-flight requests.
    ///
    /// Blocks the calling thread until the threads of all loops have ended.
    package func stop() {
        loops.first?.drain(before: loops.dropFirst())
        let threads = threads.withLock { threads in
            let running = threads
            threads = []
            return running
        }
        for thread in threads { thread.join() }
    }
}
