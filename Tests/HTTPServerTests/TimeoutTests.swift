import Dispatch
import HTTP
import HTTPServer
import Testing

@Suite struct TimeoutTests {
    /// Limits whose timeouts are long but for those that `change` shortens.
    private static func limits(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits.patient
        change(&limits)
        return limits
    }

    @Test(
        arguments: [
            "G", "GET / HTTP/1.1\r\nHost: a\r\n", "\r\nG",
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n",
        ]
    )
    func `refuses a head that takes too long`(sent: String) async throws {
        try await withServer(limits: Self.limits { $0.headMilliseconds = 40 }) { server in
            let client = try server.connect()
            try client.send(sent)

            if sent.hasPrefix("GET /a") { #expect(try client.receive() == .ok("GET /a ")) }
            let answer = try client.receive()
            #expect(answer.status == 408)
            #expect(answer.closes)
            try client.receiveEnd()
        }
    }

    @Test(arguments: ["Content-Length: 5\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3\r\n"])
    func `refuses a body that takes too long`(sent: String) async throws {
        try await withServer(limits: Self.limits { $0.bodyMilliseconds = 40 }) { server in
            let client = try server.connect()
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(sent)he")

            #expect(try client.receive().status == 408)
            try client.receiveEnd()
        }
    }

    @Test func `refuses a head whose bytes trickle in for too long`() async throws {
        let limits = Self.limits {
            $0.headMilliseconds = 40
            $0.headBytes = 10_000_000
        }
        try await withServer(limits: limits) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nA: ")
            while !client.hasReceived { try client.send("a") }

            #expect(try client.receive().status == 408)
            client.finishSending()
            try client.receiveEnd()
        }
    }

    @Test(arguments: [("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("\r\n", false)])
    func `answers a request that has come when its connection's time is over`(
        sent: String,
        isRequest: Bool
    ) async throws {
        try await onThread {
            let isSent = DispatchSemaphore(value: 0)
            var observer = LoopObserver()
            observer.threadDidStart = { isSent.wait() }
            let server = try RunningServer(
                loops: 1,
                limits: Self.limits { $0.idleMilliseconds = 0 },
                observer: observer
            )
            defer { server.stop() }
            let client = try server.connect()
            try client.send(sent)
            isSent.signal()

            if isRequest { #expect(try client.receive() == .ok("GET / ")) }
            try client.receiveEnd()
        }
    }

    @Test(arguments: ["", "\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    func `closes an idle connection without a word`(sent: String) async throws {
        try await withServer(limits: Self.limits { $0.idleMilliseconds = 40 }) { server in
            let client = try server.connect()
            try client.send(sent)

            if sent.hasPrefix("GET") { #expect(try client.receive() == .ok("GET / ")) }
            try client.receiveEnd()
        }
    }

    @Test func `does not count the time of a handler`() async throws {
        let limits = Self.limits {
            $0.headMilliseconds = 40
            $0.bodyMilliseconds = 40
            $0.idleMilliseconds = 40
            $0.writeMilliseconds = 40
        }
        try await withServer(limits: limits) { server in
            let client = try server.connect()
            try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            for _ in 0..<3 { try server.connect().receiveEnd() }
            server.stub.open()

            #expect(try client.receive() == .ok("GET /wait "))
        }
    }

    @Test func `gives up a client that does not read its answer`() async throws {
        let limits = Self.limits {
            $0.writeMilliseconds = 40
            $0.idleMilliseconds = 400
        }
        try await withServer(limits: limits) { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /large?20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            // Tells that much time has passed.
            try server.connect().receiveEnd()

            #expect(server.socketCount == 1)
            #expect(client.receiveToEnd() < 20_000_000)
        }
    }

    @Test func `gives up a client that reads its answer too slowly`() async throws {
        try await withServer(limits: Self.limits { $0.writeMilliseconds = 100 }) { server in
            let client = try server.connect(receiveBuffer: 4096)
            let witness = try server.connect()
            try client.send("GET /large?20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            try server.settle(witness)
            var count = 0
            while server.socketCount == 3, count < 20_000 {
                count += try client.receive(10).count
                try server.settle(witness)
            }

            #expect(server.socketCount == 2)
        }
    }
}
