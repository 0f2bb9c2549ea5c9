import HTTP
import HTTPServer
import Testing
import Threads

@Suite struct BatchTests {
    /// Notes with each request whether any of the clients has received something.
    private final class Watch: Sendable {
        let stub = StubService()
        private let clients = Mutex<[Client]>([])
        private let notes = Mutex<[Bool]>([])

        /// What was noted, once for each request.
        var hasReceived: [Bool] { notes.withLock { $0 } }

        var service: Service {
            Service(
                respond: { request in
                    let response = await self.stub.respond(to: request)
                    let clients = self.clients.withLock { $0 }
                    if !clients.isEmpty {
                        self.notes.withLock { $0.append(clients.contains(where: \.hasReceived)) }
                    }
                    return response
                },
                refuse: { status, _, _ in Response(status) }
            )
        }

        func watch(_ clients: [Client]) {
            self.clients.withLock { $0 = clients }
        }
    }

    @Test func `responses of a batch are sent after all of its requests are processed`()
        async throws
    {
        try await onThread {
            let watch = Watch()
            let server = try Server(
                ServerConfiguration(
                    endpoint: .address(host: "127.0.0.1", port: 0),
                    loops: 1,
                    limits: .patient,
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
            for client in clients { try client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n") }
            watch.watch(clients)
            watch.stub.unblock()

            for client in clients { #expect(try client.receive() == .ok("GET /one ")) }
            #expect(try blocker.receive() == .ok("GET /block "))
            // One note for the request that blocked the loop, and one for each client's.
            #expect(watch.hasReceived == [false, false, false, false])
        }
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
}
