import Dispatch
import Glibc
import HTTP
import HTTPServer
import PostgreSQL
import PostgreSQLSupport
import Testing
import System

/// Reads on the loops of a server, which has the connections in its epoll sets.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct LoopTests {
    private let fixture: OpenDatabase
    private let server: Server

    init() throws {
        let fixture = try OpenDatabase()
        self.fixture = fixture
        var observer = LoopObserver()
        observer.threadDidStart = { try? fixture.database.bindThread() }
        observer.batchDidFinish = { fixture.database.threadDidPause() }
        observer.threadWillStop = { fixture.database.unbindThread() }
        server = try Server(
            ServerConfiguration(
                endpoint: .address(host: "127.0.0.1", port: 0),
                loops: 2,
                limits: Limits(),
                service: Service(
                    respond: { request in .later { await Self.respond(request, fixture) } },
                    refuse: { status, _, _ in Response(status) }
                ),
                observer: observer
            )
        )
    }

    private static func respond(_ request: Request, _ fixture: OpenDatabase) async -> Response {
        if request.path == "/lookups" { return await Self.lookUp(fixture) }
        if request.path == "/shared" { return await Self.readShared(fixture) }
        let number = Int64(request.path.dropFirst()) ?? 0
        let outcome = await fixture.divide(number, by: number % 5)
        return Response(.ok, body: Array("\(outcome)".utf8))
    }

    /// The numbers that a request looks up at the same time: 67, of which one occurs twice and one
    /// doesn't exist.
    private static let numbers = [5] + Array(Int64(1)...65) + [2000]

    private static func lookUp(_ fixture: OpenDatabase) async -> Response {
        let outcomes = await simultaneously(numbers.count) { index in
            await fixture.lookUp(numbers[index])
        }
        return Response(.ok, body: Array("\(outcomes)".utf8))
    }

    /// Draws numbers at the same time, 66 by one command and then one by another, and responds with
    /// the index of the first that has got the same.
    private static func readShared(_ fixture: OpenDatabase) async -> Response {
        let outcomes = await simultaneously(67) { index in
            await fixture.draw(with: index < 66 ? 0 : 100)
        }
        // The queries are performed in any order.
        let firsts = outcomes.map { outcome in outcomes.firstIndex(of: outcome) ?? -1 }
        return Response(.ok, body: Array("\(firsts)".utf8))
    }

    /// Returns the results of several calls that are made at the same time, in order.
    private static func simultaneously<Value: Sendable>(
        _ count: Int,
        _ body: @escaping @Sendable (Int) async -> Value
    ) async -> [Value] {
        await withTaskGroup(of: (index: Int, value: Value).self) { group in
            for index in 0..<count { group.addTask { (index, await body(index)) } }
            var values: [(index: Int, value: Value)] = []
            for await value in group { values.append(value) }
            return values.sorted { $0.index < $1.index }.map(\.value)
        }
    }

    private static func expected(_ number: Int64) -> String {
        let outcome =
            number % 5 == 0
            ? ReadOutcome.failed("22012") : ReadOutcome.read(number, number / (number % 5))
        return "\(outcome)"
    }

    /// The bodies of the responses to these requests, each on a connection of its own.
    private func bodies(of numbers: Range<Int>) -> [Int: String] {
        let bodies = Mutex<[Int: String]>([:])
        let port = server.port
        DispatchQueue.concurrentPerform(iterations: 8) { client in
            for number in numbers where number % 8 == client {
                let body = Self.get("/\(number)", port)
                bodies.withLock { $0[number] = body }
            }
        }
        return bodies.withLock { $0 }
    }

    private static func get(_ path: String, _ port: UInt16) -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { return nil }
        let request = "GET \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
        _ = unsafe write(descriptor, request, request.utf8.count)
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            response += buffer[..<count]
        }
        return String(decoding: response, as: UTF8.self).split(separator: "\r\n").last
            .map(String.init)
    }

    @Test func `gives each request its own result, amid errors`() throws {
        defer { server.stop() }
        let bodies = bodies(of: 0..<160)
        #expect(bodies.count == 160)
        for (number, body) in bodies { #expect(body == Self.expected(Int64(number))) }
        #expect(
            try fixture.run(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = '\(fixture.name)' AND application_name = 'humon'
                """
            ) == "5"
        )
    }

    @Test func `performs the lookups of a batch together, at most 64 in a query`() throws {
        defer { server.stop() }
        let expected = Self.numbers.enumerated().map { index, number -> ReadOutcome? in
            number == 2000 ? nil : .read(number, index < 64 ? 64 : 3)
        }
        #expect(Self.get("/lookups", server.port) == "\(expected)")
    }

    @Test func `performs a shared read once for a batch, for up to 64 of them`() throws {
        defer { server.stop() }
        try fixture.run("CREATE SEQUENCE drawn")
        let firsts = Array(repeating: 0, count: 64) + [64, 64, 66]
        #expect(Self.get("/shared", server.port) == "\(firsts)")
    }

    @Test func `replaces the connections of a loop`() throws {
        defer { server.stop() }
        for _ in 0..<3 {
            try fixture.killBackends()
            let bodies = bodies(of: 1..<17)
            for (number, body) in bodies { #expect(body == Self.expected(Int64(number))) }
        }
    }
}
