import HTTP
import Glibc
import HTTPServer
import Testing

/// What requests and responses may take of the server's memory.
@Suite struct MemoryTests {
    /// Bodies of this size make arrays of about this size.
    private static let bodyBytes = 400_000

    /// Limits under which two bodies of 400 kB fit into the budget, and three do not.
    private static let tight: Limits = {
        var limits = Limits.patient
        limits.bodyBytes = bodyBytes
        limits.requestMegabytes = 1
        limits.requestMegabytesPerAddress = 1
        limits.responseMegabytes = 1
        limits.stallMilliseconds = 0
        return limits
    }()

    private static let head =
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: \(bodyBytes)\r\n\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A client that has sent all of its request but the last byte, once the server has read it.
    private static func stalled(
        by server: RunningServer,
        from address: String,
        head: String = head
    ) throws -> Client {
        let client = try server.connect(from: address)
        let before = server.server.requestBytes
        let refusals = server.server.requestRefusalCount
        try client.send(head)
        try client.send([UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes - 1))
        while server.server.requestBytes < before + bodyBytes - 1,
            server.server.requestRefusalCount == refusals
        {
            sched_yield()
        }
        return client
    }

    @Test func `rejects a body beyond the budget and serves what fits`() async throws {
        var limits = Self.tight
        limits.requestMegabytesPerAddress = 16
        try await withServer(limits: limits) { server in
            let first = try Self.stalled(by: server, from: "127.0.0.1")
            let second = try Self.stalled(by: server, from: "127.0.0.2")

            let third = try Self.stalled(by: server, from: "127.0.0.3")
            let rejection = try third.receive()

            #expect(rejection.status == 503)
            #expect(rejection.closes)
            #expect(
                rejection.body
                    == "The server has no memory left for this request. Try again in a moment."
            )
            try third.receiveEnd()
            #expect(server.server.requestRefusalCount == 1)
            let small = try server.connect()
            try small.send(Self.get)
            #expect(try small.receive() == .ok("GET / "))
            for client in [first, second] {
                try client.send("x")
                #expect(try client.receive().status == 200)
            }
            try server.settle(small)
            #expect(server.server.requestBytes == 0)
            let next = try Self.stalled(by: server, from: "127.0.0.3")
            try next.send("x")
            #expect(try next.receive().status == 200)
            #expect(server.stub.paths.count { $0 == "/body" } == 3)
        }
    }

    @Test func `rejects what one address sends beyond its share, and no other`() async throws {
        var limits = Self.tight
        limits.requestMegabytes = 16
        try await withServer(limits: limits) { server in
            let clients = try (0..<2).map { _ in try Self.stalled(by: server, from: "127.0.0.1") }

            let rejection = try Self.stalled(by: server, from: "127.0.0.1").receive()
            let neighbour = try Self.stalled(by: server, from: "127.0.0.2")
            try neighbour.send("x")

            #expect(rejection.status == 503)
            #expect(
                rejection.body
                    == "Your address has too many unfinished requests. Finish some, then try again."
            )
            #expect(try neighbour.receive().status == 200)
            for client in clients {
                try client.send("x")
                #expect(try client.receive().status == 200)
            }
        }
    }

    @Test func `counts what a proxy sends for the client that it names`() async throws {
        var limits = Self.tight
        limits.requestMegabytes = 16
        let proxies = [try #require(IPNetwork("127.0.0.1"))]
        try await withServer(limits: limits, proxies: proxies) { server in
            func stalled(for name: String) throws -> Client {
                let head = Self.head.replacing("Host: a", with: "Host: a\r\nX-Client: \(name)")
                return try Self.stalled(by: server, from: "127.0.0.1", head: head)
            }
            let clients = [try stalled(for: "192.0.2.1"), try stalled(for: "192.0.2.1")]

            let rejection = try stalled(for: "192.0.2.1").receive()
            let neighbour = try stalled(for: "192.0.2.2")

            #expect(rejection.status == 503)
            for client in clients + [neighbour] {
                try client.send("x")
                #expect(try client.receive().status == 200)
            }
        }
    }

    @Test func `gives a proxy's address no share of its own`() async throws {
        var limits = Self.tight
        limits.requestMegabytes = 16
        let proxies = [try #require(IPNetwork("127.0.0.1"))]
        try await withServer(limits: limits, proxies: proxies) { server in
            let clients = try (0..<3).map { _ in try Self.stalled(by: server, from: "127.0.0.1") }
            for client in clients {
                try client.send("x")
                #expect(try client.receive().status == 200)
            }
        }
    }

    @Test func `takes memory for a body as it arrives and not as it is announced`() async throws {
        try await withServer { server in
            let clients = try (0..<10).map { _ in try server.connect() }
            for client in clients {
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\nx")
            }
            let witness = try server.connect()
            try server.settle(witness)
            #expect(server.server.requestBytes == 0)

            try clients[0].send([UInt8](repeating: 0, count: 100_000))
            while server.server.requestBytes < 100_000 { sched_yield() }
            #expect(server.server.requestBytes <= 2 * (100_000 + 64 * 1024))
        }
    }

    @Test func `frees what a client leaves behind`() async throws {
        try await withServer(limits: Self.tight) { server in
            let client = try Self.stalled(by: server, from: "127.0.0.1")
            #expect(server.server.requestBytes >= Self.bodyBytes - 1)
            client.finishSending()
            while server.server.requestBytes > 0 { sched_yield() }
        }
    }

    @Test func `holds one response for a client that does not read, and no more`() async throws {
        var limits = Limits.patient
        limits.responseMegabytes = 64
        try await withServer(limits: limits) { server in
            let client = try server.connect(receiveBuffer: 4096)
            let request = "GET /large?8000000 HTTP/1.1\r\nHost: a\r\n\r\n"
            try client.send(String(repeating: request, count: 8))
            while server.server.responseBytes == 0 { sched_yield() }
            let witness = try server.connect()
            try server.settle(witness)

            #expect(server.stub.paths.count { $0 == "/large" } == 1)
            #expect(server.server.responseBytes <= 8_800_000)
            for _ in 0..<8 { #expect(try client.receive().body.utf8.count == 8_000_000) }
            try server.settle(witness)
            #expect(server.server.responseBytes == 0)
        }
    }

    @Test func `closes the client that reads least when responses take too much`() async throws {
        try await withServer(limits: Self.tight) { server in
            let request = "GET /large?400000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            func waitingClient() throws -> Client {
                let before = server.server.responseBytes
                let client = try server.connect(receiveBuffer: 4096)
                try client.send(request)
                while server.server.responseBytes == before { sched_yield() }
                return client
            }
            let reader = try waitingClient()
            let idler = try waitingClient()
            // So much that the system has to take more from the server.
            let begun = try reader.receive(200_000)
            let newcomer = try server.connect(receiveBuffer: 4096)
            try newcomer.send(request)
            while server.server.givenUpResponseCount == 0 { sched_yield() }

            #expect(throws: ClientError.self) { try idler.receive() }
            #expect(begun.count + reader.receiveToEnd() > 400_000)
            #expect(try newcomer.receive().body.utf8.count == 400_000)
            #expect(server.server.givenUpResponseCount == 1)
        }
    }

    @Test func `closes a client whose response alone takes too much`() async throws {
        try await withServer(limits: Self.tight) { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /large?8000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(throws: ClientError.self) { try client.receive() }
            #expect(server.server.givenUpResponseCount == 1)
            #expect(server.server.responseBytes == 0)
        }
    }

    @Test func `keeps a newcomer and closes who reads no more`() async throws {
        try await withServer(limits: Self.tight) { server in
            let request = "GET /large?400000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let idlers = try (0..<2).map { _ in
                let before = server.server.responseBytes
                let client = try server.connect(receiveBuffer: 4096)
                try client.send(request)
                while server.server.responseBytes == before { sched_yield() }
                // So much that the system has to take more from the server.
                _ = try client.receive(200_000)
                return client
            }
            for number in 0..<3 {
                let newcomer = try server.connect(receiveBuffer: 4096)
                try newcomer.send(request)
                #expect(try newcomer.receive().body.utf8.count == 400_000, "\(number)")
            }
            #expect(server.server.givenUpResponseCount == 1)
            #expect(idlers.map { $0.receiveToEnd() }.count { $0 < 190_000 } == 1)
        }
    }

    /// Clients that have requested a list in one batch of the loop, and read nothing yet.
    private static func listClients(_ count: Int, of server: RunningServer) throws -> [Client] {
        let clients = try (0..<count).map { _ in try server.connect(receiveBuffer: 4096) }
        let blocker = try server.connect()
        for client in clients + [blocker] {
            try client.send(get)
            _ = try client.receive()
        }
        try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
        server.stub.awaitArrival()
        for client in clients { try client.send("GET /large?400000 HTTP/1.1\r\nHost: a\r\n\r\n") }
        server.stub.unblock()
        _ = try blocker.receive()
        try server.settle(blocker)
        return clients
    }

    @Test func `makes a list only when there is memory, and cuts off no reader`() async throws {
        var limits = Self.tight
        limits.stallMilliseconds = 600_000
        limits.listMilliseconds = 600_000
        try await withServer(limits: limits) { server in
            let clients = try Self.listClients(10, of: server)
            let witness = try server.connect()
            while server.server.responseBytes < 700_000 { sched_yield() }
            for _ in 0..<5 { try server.settle(witness) }

            #expect(server.stub.paths.count { $0 == "/large" } == 2)
            #expect(server.server.responseBytes <= 1 << 20)
            for client in clients { #expect(try client.receive().body.utf8.count == 400_000) }
            #expect(server.server.givenUpResponseCount == 0)
            #expect(server.stub.paths.count { $0 == "/large" } == 10)
            try server.settle(witness)
            #expect(server.server.responseBytes == 0)
        }
    }

    @Test func `makes short lists while long ones wait for memory`() async throws {
        var limits = Self.tight
        limits.stallMilliseconds = 600_000
        limits.listMilliseconds = 600_000
        try await withServer(limits: limits) { server in
            let clients = try Self.listClients(10, of: server)
            let other = try server.connect()

            for _ in 0..<3 {
                try other.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try other.receive().status == 200)
            }
            #expect(server.stub.paths.count { $0 == "/large" } == 2)
            for client in clients { #expect(try client.receive().body.utf8.count == 400_000) }
            #expect(server.server.givenUpResponseCount == 0)
        }
    }

    @Test func `rejects a list that has waited too long for memory`() async throws {
        var limits = Self.tight
        limits.stallMilliseconds = 600_000
        limits.listMilliseconds = 0
        try await withServer(limits: limits) { server in
            let clients = try Self.listClients(4, of: server)
            let witness = try server.connect()
            try server.settle(witness)

            // The first one has its turn at once, and the others have no time to wait for theirs.
            for client in clients.dropFirst() {
                let rejection = try client.receive()
                #expect(rejection.status == 503)
                #expect(rejection.closes)
                #expect(
                    rejection.body
                        == "The server has no memory left for this list. Try again in a moment."
                )
                try client.receiveEnd()
            }
            #expect(try clients[0].receive().body.utf8.count == 400_000)
            #expect(server.stub.paths.count { $0 == "/large" } == 1)
            #expect(server.server.givenUpResponseCount == 0)
        }
    }

    @Test func `closes clients that read nothing when lists wait for their memory`() async throws {
        var limits = Self.tight
        limits.listMilliseconds = 600_000
        try await withServer(limits: limits) { server in
            let idlers = try Self.listClients(10, of: server)
            let reader = try server.connect()
            try reader.send("GET /large?400000 HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(try reader.receive().body.utf8.count == 400_000)
            try server.settle(reader)
            #expect(server.server.givenUpResponseCount == 9)
            #expect(server.server.responseBytes <= 1 << 20)
            #expect(idlers.count { (try? $0.receive().body.utf8.count) != 400_000 } == 9)
        }
    }

    @Test func `makes a list in each batch, however much small requests take`() async throws {
        try await withServer { server in
            let blocker = try server.connect()
            let clients = try (0..<6).map { _ in try server.connect() }
            let list = try server.connect()
            for client in clients + [list] {
                try client.send(Self.get)
                _ = try client.receive()
            }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            for client in clients {
                // Each time more than the part of a batch that is for lists.
                try client.send("GET /big?300000 HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            try list.send("GET /large?1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let late = try server.connect()
            try late.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.unblock()
            // The next batch stands still here, so that the list was in the one before.
            server.stub.awaitArrival()
            #expect(server.stub.paths.contains("/large"))
            server.stub.unblock()
            #expect(try list.receive().body == "x")
        }
    }

    @Test func `serves small requests before lists that are requested with them`() async throws {
        try await withServer { server in
            let blocker = try server.connect()
            let clients = try (0..<4).map { _ in try server.connect() }
            let small = try server.connect()
            for client in clients + [small] {
                try client.send(Self.get)
                _ = try client.receive()
            }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            for client in clients {
                try client.send("GET /large?300000 HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            try small.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.unblock()

            #expect(try small.receive() == .ok("GET /small "))
            for client in clients { #expect(try client.receive().body.utf8.count == 300_000) }
            let order = server.stub.paths.filter { ["/large", "/small"].contains($0) }
            #expect(order == ["/large", "/small", "/large", "/large", "/large"])
        }
    }
}
