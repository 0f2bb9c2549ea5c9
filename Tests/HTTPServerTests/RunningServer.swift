import HTTP
import Foundation
import Glibc
import HTTPServer

extension Limits {
    /// Limits whose timeouts no test reaches, however slow the machine and the build are.
    static let patient: Limits = {
        var limits = Limits()
        limits.headMilliseconds = 600_000
        limits.bodyMilliseconds = 600_000
        limits.idleMilliseconds = 600_000
        limits.writeMilliseconds = 600_000
        limits.shutdownMilliseconds = 600_000
        limits.sendMilliseconds = 600_000
        return limits
    }()
}

/// Runs `body`, which may block, on a thread of its own with a server that is gone afterwards.
func withServer(
    loops: Int = 1,
    limits: Limits = .patient,
    proxies: [IPNetwork] = [],
    _ body: @escaping @Sendable (RunningServer) throws -> Void
) async throws {
    try await onThread {
        let running = try RunningServer(loops: loops, limits: limits, proxies: proxies)
        defer { running.stop() }
        try body(running)
    }
}

/// Runs `body` on a thread that does nothing else, and returns its result.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// A server on a port of its own, and what it serves.
struct RunningServer {
    let stub = StubService()
    let server: Server

    init(
        loops: Int,
        limits: Limits,
        proxies: [IPNetwork] = [],
        observer: LoopObserver = LoopObserver()
    ) throws {
        server = try Server(
            ServerConfiguration(
                endpoint: .address(host: "127.0.0.1", port: 0),
                loops: loops,
                limits: limits,
                proxies: proxies,
                service: stub.service,
                observer: observer
            )
        )
    }

    func connect(from address: String? = nil, receiveBuffer: Int32? = nil) throws -> Client {
        let client = try Client(receiveBuffer: receiveBuffer)
        if let address { try client.bind(to: address) }
        try client.connect(to: server.port)
        return client
    }

    /// Whether a new client is answered.
    func answersNewClient() throws -> Bool {
        let client = try connect()
        try client.send("GET /new HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let answer = try client.receive()
        try client.receiveEnd()
        return answer.body == "GET /new "
    }

    /// Waits until the loop, if it is the only one, has dealt with all that has happened so far;
    /// `witness` is a connection without a request under way.
    func settle(_ witness: Client) throws {
        // What becomes ready in one batch of the loop may take another to be dealt with.
        for _ in 0..<3 {
            try witness.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try witness.receive()
        }
    }

    /// How many sockets belong to the server once that is so many, or else in the end.
    ///
    /// A client may end later than it is closed: a process that another test starts at that moment
    /// has its socket, too, until its program begins.
    func socketCount(reaching count: Int, _ witness: Client) throws -> Int {
        var found = socketCount
        for _ in 0..<1000 {
            if found == count { break }
            try settle(witness)
            found = socketCount
        }
        return found
    }

    func stop() {
        stub.open()
        server.stop()
    }

    /// How many sockets of this process belong to the server: one listens, each of the others is
    /// a connection.
    var socketCount: Int {
        (0..<Int32(clamping: sysconf(Int32(_SC_OPEN_MAX)))).count {
            localPort(of: $0) == server.port
        }
    }

    private func localPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
