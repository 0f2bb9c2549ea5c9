import HTTP
import Glibc
import HTTPServer
import Testing

@Suite struct LimitTests {
    /// A request and how it is answered.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let status: Int

        init(_ description: String, _ request: String, _ status: Int) {
            testDescription = description
            self.request = request
            self.status = status
        }
    }

    private static var limits: Limits {
        var limits = Limits.patient
        limits.headBytes = 256
        limits.headerCount = 4
        limits.targetBytes = 64
        limits.bodyBytes = 10
        return limits
    }

    private static func head(bytes: Int) -> String {
        let bare = "GET / HTTP/1.1\r\nHost: a\r\nA: \r\n\r\n"
        let filler = String(repeating: "x", count: bytes - bare.utf8.count)
        return "GET / HTTP/1.1\r\nHost: a\r\nA: \(filler)\r\n\r\n"
    }

    private static func fields(_ count: Int) -> String {
        let others = String(repeating: "A: b\r\n", count: count - 1)
        return "GET / HTTP/1.1\r\nHost: a\r\n\(others)\r\n"
    }

    private static func target(bytes: Int) -> String {
        "GET /\(String(repeating: "x", count: bytes - 1)) HTTP/1.1\r\nHost: a\r\n\r\n"
    }

    private static func body(bytes: Int) -> String {
        let body = String(repeating: "x", count: bytes)
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n\(body)"
    }

    private static func chunks(_ sizes: Int...) -> String {
        let chunks = sizes.map {
            "\(String($0, radix: 16))\r\n\(String(repeating: "x", count: $0))\r\n"
        }
        return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks.joined() + "0\r\n\r\n"
    }

    @Test(
        arguments: [
            Case("the largest head", head(bytes: 256), 200),
            Case("a head too large", head(bytes: 257), 431),
            Case("the most fields", fields(4), 200),
            Case("too many fields", fields(5), 431),
            Case("the longest target", target(bytes: 64), 200),
            Case("a target too long", target(bytes: 65), 414),
            Case("the longest body", body(bytes: 10), 200),
            Case("a body too long", body(bytes: 11), 413),
            Case("the most chunks", chunks(4, 6), 200),
            Case("chunks too many", chunks(4, 7), 413),
            Case("two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1,1\r\n\r\n", 400),
            Case("no host", "GET / HTTP/1.1\r\n\r\n", 400),
            Case("an expectation", "GET / HTTP/1.1\r\nHost: a\r\nExpect: b\r\n\r\n", 417),
            Case("a coding", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n", 501),
            Case("another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            Case("no HTTP", "\u{16}\u{3}\u{1}\r\n\r\n", 400),
        ]
    )
    func `answers at the edge of each limit, and refuses past it`(example: Case) async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send(example.request)

            let answer = try client.receive()
            #expect(answer.status == example.status)
            #expect(answer.closes == (example.status != 200))
            if answer.closes { try client.receiveEnd() }
        }
    }

    @Test func `refuses after having answered what came before`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\nHost: a\r\n\r\n")

            #expect(try client.receive() == .ok("GET /a "))
            #expect(try client.receive().status == 400)
            try client.receiveEnd()
        }
    }

    @Test func `lets a refusal arrive although the client goes on sending`() async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
            try client.send([UInt8](repeating: 0, count: 3_000_000))

            #expect(try client.receive().status == 413)
            try client.receiveEnd()
        }
    }

    /// So many clients that have been answered once, and stay connected.
    private static func served(_ count: Int, by server: RunningServer) throws -> [Client] {
        let clients = try (0..<count).map { _ in try server.connect() }
        for client in clients {
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive() == .ok("GET / "))
        }
        return clients
    }

    /// Has the client answered once more, and its connection ended.
    private static func leave(_ client: Client) throws {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = try client.receive()
        try client.receiveEnd()
        client.finishSending()
    }

    @Test func `turns connections away beyond the limit and serves again below it`() async throws {
        var limits = Limits.patient
        limits.connections = 2
        try await withServer(limits: limits) { server in
            let clients = try Self.served(2, by: server)

            let tooMany = try server.connect()
            try tooMany.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            try tooMany.send([UInt8](repeating: 0, count: 100_000))
            let answer = try tooMany.receive()
            #expect(answer.status == 503)
            #expect(answer.closes)
            #expect(server.server.turnedAwayCount == 1)
            try tooMany.receiveEnd()

            try Self.leave(clients[0])
            try clients[1].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try clients[1].receive() == .ok("GET / "))
            #expect(try server.answersNewClient())
        }
    }

    @Test func `serves a connection beyond the limit if there is room in a moment`() async throws {
        var limits = Limits.patient
        limits.connections = 1
        limits.refusalMilliseconds = 600_000
        try await withServer(limits: limits) { server in
            let first = try Self.served(1, by: server)[0]
            let second = try server.connect()
            try second.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")

            try Self.leave(first)

            #expect(try second.receive() == .ok("GET /second "))
            #expect(server.server.turnedAwayCount == 0)
        }
    }

    @Test func `lets a client wait that it has no room for, until it stops`() async throws {
        let server = try await onThread {
            var limits = Limits.patient
            limits.refusalMilliseconds = 600_000
            return try RunningServer(loops: 1, limits: limits)
        }
        let (shed, witness) = try await onThread {
            let clients = (try server.connect(), try server.connect())
            try clients.0.send("GET /shed HTTP/1.1\r\nHost: a\r\n\r\n")
            while !server.stub.paths.contains("/shed") { sched_yield() }
            try server.settle(clients.1)
            #expect(!clients.0.hasReceived)
            return clients
        }

        let stopping = Task { try await onThread { server.server.stop() } }

        try await onThread {
            let answer = try shed.receive()
            #expect(answer.status == 503)
            #expect(answer.closes)
            for client in [shed, witness] {
                try client.receiveEnd()
                client.finishSending()
            }
        }
        try await stopping.value
    }

    @Test func `answers a client in the end that it has no room for`() async throws {
        var limits = Limits.patient
        limits.refusalMilliseconds = 1
        try await withServer(limits: limits) { server in
            let client = try server.connect()
            for path in ["shed", "next"] {
                try client.send("GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            }

            #expect(try client.receive().status == 503)
            #expect(try client.receive() == .ok("GET /next "))
        }
    }

    @Test func `turns an address away that has too many connections, and no other`() async throws {
        var limits = Limits.patient
        limits.connectionsPerAddress = 2
        try await withServer(limits: limits) { server in
            let clients = try Self.served(2, by: server)

            let tooMany = try server.connect()
            let refusal = try tooMany.receive()
            #expect(refusal.status == 503 && refusal.closes)
            #expect(server.server.turnedAwayByAddressCount == 1)
            #expect(
                refusal.body == "Your address has too many open connections. Close some of them."
            )
            try tooMany.receiveEnd()
            let neighbour = try server.connect(from: "127.0.0.2")
            try neighbour.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try neighbour.receive() == .ok("GET / "))

            try Self.leave(clients[0])
            try clients[1].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try clients[1].receive()
            #expect(try server.answersNewClient())
        }
    }

    @Test func `takes as many connections as there come from a proxy`() async throws {
        var limits = Limits.patient
        limits.connectionsPerAddress = 1
        let proxies = [try #require(IPNetwork("127.0.0.1"))]
        try await withServer(limits: limits, proxies: proxies) { server in
            _ = try Self.served(2, by: server)
        }
    }
}
