import CLinux
import Glibc
import HTTP
import Threads

/// An HTTP/1.1 server: a listening socket and a number of event loops, each on its own thread.
package final class Server: Sendable {
    /// The port it listens on, also where the system chose it; 0 for a socket without ports.
    package let port: UInt16

    /// How many connections it serves at once: fewer than it should where the system gives too few
    /// descriptors.
    package let connectionLimit: Int

    private let openConnections: ConnectionCount
    private let memory: ServerMemory
    private let loops: [EventLoop]
    private let threads: Mutex<[Thread]>

    /// Starts to listen and to serve; when it returns, connections are accepted.
    ///
    /// Throws `ServerError` if the address can't be bound or the system lacks descriptors, and
    /// `ThreadError` if it lacks threads.
    package init(_ configuration: ServerConfiguration) throws {
        let (served, turnedAway) = try DescriptorLimit.connections(
            DescriptorLimit.raise(),
            loops: configuration.loops,
            wanted: configuration.limits.connections,
            turnedAway: Listener.turnedAwayAtOnce
        )
        let socket = try ListeningSocket(configuration.endpoint)
        port = socket.port
        let openConnections = ConnectionCount(
            limit: served,
            limitPerAddress: configuration.limits.connectionsPerAddress,
            proxies: configuration.proxies
        )
        let memory = ServerMemory(configuration.limits)
        var loops: [EventLoop] = []
        for _ in 0..<configuration.loops {
            loops.append(
                try EventLoop(
                    configuration: configuration,
                    openConnections: openConnections,
                    memory: memory
                )
            )
        }
        self.loops = loops
        self.openConnections = openConnections
        self.memory = memory
        connectionLimit = served
        var threads: [Thread] = []
        for loop in loops { threads.append(try Thread { loop.run() }) }
        self.threads = Mutex(threads)
        loops.first?.listen(
            on: socket.descriptor,
            for: loops,
            turnedAway: ConnectionCount(limit: turnedAway)
        )
    }

    /// Throws the `ServerError` that would keep a server from listening there; nobody is listened
    /// to meanwhile.
    package static func checkAddress(host: String, port: UInt16) throws {
        try ListeningSocket.check(host: host, port: port)
    }

    /// How many connections are open.
    package var connectionCount: Int { openConnections.value }
    /// How many connections were taken since the start.
    package var acceptedCount: Int { openConnections.accepted }
    /// How many connections there was no room for since the start.
    package var turnedAwayCount: Int { openConnections.refused(.full) }
    /// How many connections there was no room for since the start because their address had too
    /// many.
    package var turnedAwayByAddressCount: Int { openConnections.refused(.addressFull) }

    /// How often the system lacked the descriptors or the memory for another connection.
    package var acceptFailureCount: Int { openConnections.acceptFailures }

    /// The memory that unfinished requests take, in bytes.
    package var requestBytes: Int { memory.requests.bytes }
    /// How many requests there was no memory for since the start.
    package var requestRefusalCount: Int { memory.requests.refusals }
    /// The memory that responses take that clients have not read yet, in bytes.
    package var responseBytes: Int { memory.responses.bytes }
    /// How many responses were given up since the start for want of memory.
    package var givenUpResponseCount: Int { memory.responses.givenUp }

    /// Stops accepting, and lets requests in flight finish for as long as the limit allows.
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
