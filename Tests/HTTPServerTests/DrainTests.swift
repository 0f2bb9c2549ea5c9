import HTTP
import HTTPServer
import Testing

@Suite struct DrainTests {
    /// A server that has been asked to stop, on a thread of its own.
    private struct Stopping {
        let task: Task<Void, any Error>

        init(_ server: RunningServer) {
            task = Task { try await onThread { server.server.stop() } }
        }
    }

    private static func started(loops: Int = 1, limits: Limits = .patient) async throws
        -> RunningServer
    {
        try await onThread { try RunningServer(loops: loops, limits: limits) }
    }

    /// The first answer that ends its connection shows that the server has begun to stop.
    private static func awaitDrain(_ witness: Client) throws {
        var answer: Answer
        repeat {
            try witness.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = try witness.receive()
        } while !answer.closes
    }

    @Test(arguments: [1, 3])
    func `finishes what is in flight and ends idle connections`(
        loops: Int
    ) async throws {
        let server = try await Self.started(loops: loops)
        let (busy, idle, fresh) = try await onThread {
            let clients = (try server.connect(), try server.connect(), try server.connect())
            try clients.0.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            try clients.1.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try clients.1.receive()
            // All that came before is accepted.
            for _ in 0..<loops { #expect(try server.answersNewClient()) }
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            try idle.receiveEnd()
            try fresh.receiveEnd()
            server.stub.open()
            #expect(try busy.receive() == .ok("GET /wait ", closes: true))
            try busy.receiveEnd()
            busy.finishSending()
        }
        try await stopping.task.value
        await #expect(throws: ClientError.self) { try await onThread { try server.connect() } }
    }

    @Test func `answers a request that comes soon after`() async throws {
        var limits = Limits.patient
        limits.drainMilliseconds = 20_000
        let server = try await Self.started(limits: limits)
        let (witness, idle) = try await onThread {
            let clients = (try server.connect(), try server.connect())
            try clients.1.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try clients.1.receive()
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            try Self.awaitDrain(witness)
            try idle.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try idle.receive() == .ok("GET /after ", closes: true))
            try idle.receiveEnd()
            idle.finishSending()
            witness.finishSending()
        }
        try await stopping.task.value
    }

    @Test func `answers a request that comes soon after an answer that took longer`() async throws {
        var limits = Limits.patient
        limits.drainMilliseconds = 3_000
        let server = try await Self.started(limits: limits)
        let (reader, idle, witness) = try await onThread {
            let clients = (try server.connect(), try server.connect(), try server.connect())
            try clients.0.send("GET /large?20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            try clients.2.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            #expect(try server.answersNewClient())
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            // Tells that the time of those who were idle before is over.
            try idle.receiveEnd()
            #expect(try !reader.receive(isHead: true).closes)
            for _ in 0..<20 { _ = try reader.receive(1_000_000) }
            // Its answer comes after the server has seen that the other one is sent.
            server.stub.open()
            #expect(try witness.receive().closes)
            witness.finishSending()
            try reader.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try reader.receive() == .ok("GET /after ", closes: true))
            reader.finishSending()
        }
        try await stopping.task.value
    }

    @Test func `answers pipelined requests that have come`() async throws {
        var limits = Limits.patient
        limits.drainMilliseconds = 20_000
        let server = try await Self.started(limits: limits)
        let (witness, client) = try await onThread {
            let clients = (try server.connect(), try server.connect())
            #expect(try server.answersNewClient())
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            try Self.awaitDrain(witness)
            try client.send(
                "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(try client.receive() == .ok("GET /1 "))
            #expect(try client.receive() == .ok("GET /2 ", closes: true))
            try client.receiveEnd()
            client.finishSending()
            witness.finishSending()
        }
        try await stopping.task.value
    }

    @Test func `finishes a request that is still arriving`() async throws {
        let server = try await Self.started()
        let (client, idle) = try await onThread {
            let clients = (try server.connect(), try server.connect())
            try clients.0.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            #expect(try server.answersNewClient())
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            try idle.receiveEnd()
            try client.send("llo")
            #expect(try client.receive() == .ok("PUT / hello", closes: true))
            client.finishSending()
        }
        try await stopping.task.value
    }

    @Test func `answers a request that came just before`() async throws {
        let server = try await Self.started()
        let (blocking, client) = try await onThread {
            let clients = (try server.connect(), try server.connect())
            try clients.1.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try clients.1.receive()
            try clients.0.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            try clients.1.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            return clients
        }
        let stopping = Stopping(server)

        try await onThread {
            server.stub.unblock()
            #expect(try client.receive().body == "GET /second ")
            _ = try blocking.receive()
            client.finishSending()
            blocking.finishSending()
        }
        try await stopping.task.value
    }

    @Test func `gives up what takes longer than the limit`() async throws {
        var limits = Limits.patient
        limits.shutdownMilliseconds = 40
        let server = try await Self.started(limits: limits)
        let client = try await onThread {
            let client = try server.connect()
            try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            return client
        }

        try await Stopping(server).task.value

        #expect(server.socketCount == 0)
        try await onThread { try client.receiveEnd() }
        // Its task is not resumed any more, and that does no harm.
        server.stub.open()
    }

    @Test func `stops once, however often it is asked to`() async throws {
        let server = try await Self.started(loops: 2)

        try await Stopping(server).task.value
        try await Stopping(server).task.value

        #expect(server.socketCount == 0)
    }
}
