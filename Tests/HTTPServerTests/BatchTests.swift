import Dispatch
import HTTP
import HTTPServer
import Testing
import System

@Suite struct BatchTests {
    /// Notes with each request whether any of the clients has received something.
    private final class Watch: Sendable {
        let stub = StubService()
        private let clients = Mutex<[Client]>([])
        private let notes = Mutex<[Bool]>([])
        private let noted = DispatchSemaphore(value: 0)

        /// What was noted, once for each request.
        var hasReceived: [Bool] { notes.withLock { $0 } }

        var service: Service {
            Service(
                respond: { request in
                    .later {
                        let response = await self.stub.respond(to: request)
                        let clients = self.clients.withLock { $0 }
                        if !clients.isEmpty {
                            let hasReceived = clients.contains(where: \.hasReceived)
                            self.notes.withLock { $0.append(hasReceived) }
                            self.noted.signal()
                        }
                        return response
                    }
                },
                refuse: { status, _, _ in Response(status) }
            )
        }

        func watch(_ clients: [Client]) {
            self.clients.withLock { $0 = clients }
        }

        func awaitNotes(_ count: Int) {
            for _ in 0..<count { noted.wait() }
        }
    }

    /// Lets three clients send a request for a path each while the loop is blocked.
    ///
    /// Returns what was noted with the request that has blocked the loop and with each of theirs.
    private static func notes(
        of path: String,
        _ change: (inout Limits) -> Void = { _ in }
    ) throws -> [Bool] {
        let watch = Watch()
        var limits = Limits.patient
        change(&limits)
        let server = try Server(
            ServerConfiguration(
                endpoint: .address(host: "127.0.0.1", port: 0),
                loops: 1,
                limits: limits,
                service: watch.service
            )
        )
        defer { server.stop() }
        let blocker = try Client()
        let clients = [try Client(), try Client(), try Client()]
        for client in [blocker] + clients {
            try client.connect(to: server.port)
            try client.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.receive()
        }

        try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
        watch.stub.awaitArrival()
        for client in clients { try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
        watch.watch(clients)
        watch.stub.unblock()

        // What a client had read by then, a note would miss.
        watch.awaitNotes(1 + clients.count)
        for client in clients { #expect(try client.receive().status == 200) }
        #expect(try blocker.receive() == .ok("GET /block "))
        return watch.hasReceived
    }

    @Test func `responses of a batch are sent after all of its requests are processed`()
        async throws
    {
        let notes = try await onThread { try Self.notes(of: "/one") }

        #expect(notes == [false, false, false, false])
    }

    @Test func `a response is sent before the next request once it has waited long enough`()
        async throws
    {
        let notes = try await onThread { try Self.notes(of: "/one") { $0.sendMilliseconds = 0 } }

        #expect(notes == [false, false, true, true])
    }

    @Test func `large responses of a batch are sent before the next request`() async throws {
        let notes = try await onThread { try Self.notes(of: "/big?300000") }

        #expect(notes == [false, false, true, true])
    }

    @Test func `pipelined requests of a batch are all answered in order`() async throws {
        try await withServer { running in
            let blocker = try running.connect()
            let clients = [try running.connect(), try running.connect()]
            for client in clients { try running.settle(client) }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            running.stub.awaitArrival()
            let numbers = 1...40
            for client in clients {
                try client.send(
                    numbers.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
                )
            }
            running.stub.unblock()

            for number in numbers {
                for client in clients { #expect(try client.receive() == .ok("GET /\(number) ")) }
            }
        }
    }

    @Test func `a slow reader in a batch gets its complete response and the next one`() async throws
    {
        let count = 8_000_000
        try await withServer { running in
            let blocker = try running.connect()
            let clients = try (0..<3).map { _ in try running.connect(receiveBuffer: 4096) }
            for client in clients { try running.settle(client) }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            running.stub.awaitArrival()
            for client in clients {
                try client.send("GET /big?\(count) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            running.stub.unblock()
            #expect(try blocker.receive() == .ok("GET /block "))
            // Its response arrives while the others still wait for their clients.
            try running.settle(blocker)
            #expect(running.server.responseBytes > count)

            for client in clients {
                let answer = try client.receive()
                #expect(answer.body.utf8.count == count)
                #expect(answer.body.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
                try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.receive() == .ok("GET /next "))
            }
            #expect(running.server.responseBytes == 0)
        }
    }

    @Test func `requests of a batch are complete even if together they exceed the inbox`()
        async throws
    {
        try await withServer { running in
            let blocker = try running.connect()
            // The loop receives up to 4 KiB of each request, and 64 KiB in all.
            let bodies = (0..<40).map { number in
                String(repeating: String(UnicodeScalar(UInt8(ascii: "A") + number)), count: 5000)
            }
            let clients = try bodies.map { _ in try running.connect() }
            for client in clients { try running.settle(client) }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            running.stub.awaitArrival()
            for (client, body) in zip(clients, bodies) {
                try client.send(
                    "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n\(body)"
                )
            }
            running.stub.unblock()

            for (client, body) in zip(clients, bodies) {
                #expect(try client.receive() == .ok("POST /body \(body)"))
            }
        }
    }

    @Test func `HEAD, HTTP 1.0 and closing clients of a batch get correct responses`() async throws
    {
        try await withServer { running in
            let blocker = try running.connect()
            let clients = try (0..<4).map { _ in try running.connect() }
            for client in clients { try running.settle(client) }
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            running.stub.awaitArrival()
            try clients[0].send("HEAD /head HTTP/1.1\r\nHost: a\r\n\r\n")
            try clients[1].send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            try clients[2].send("GET /half HTTP/1.1\r\nHost: a\r\n\r\n")
            clients[2].finishSending()
            try clients[3].send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            running.stub.unblock()

            let head = try clients[0].receive(isHead: true)
            #expect(head.status == 200 && head.body == "")
            #expect(try clients[1].receive() == .ok("GET /old ", saysKeepAlive: true))
            #expect(try clients[2].receive() == .ok("GET /half "))
            try clients[2].receiveEnd()
            #expect(try clients[3].receive() == .ok("GET /last ", closes: true))
            try clients[3].receiveEnd()
            for client in clients[...1] { try running.settle(client) }
        }
    }

    @Test func `a client that disconnects does not delay the others of its batch`()
        async throws
    {
        try await withServer { running in
            let blocker = try running.connect()
            let others = try (0..<2).map { _ in try running.connect() }
            for client in others { try running.settle(client) }
            do {
                let gone = try running.connect()
                gone.resetWhenClosed()
                try running.settle(gone)
                try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
                running.stub.awaitArrival()
                try gone.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            for client in others { try client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n") }
            running.stub.unblock()

            for client in others { #expect(try client.receive() == .ok("GET /one ")) }
            #expect(try blocker.receive() == .ok("GET /block "))
            try running.settle(blocker)
            #expect(running.server.connectionCount == 3)
        }
    }
}
