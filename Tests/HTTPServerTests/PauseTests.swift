import System
import HTTP
import HTTPServer
import Testing

@Suite struct PauseTests {
    /// Responds to `/long` after a number of pauses, at least until another request has arrived.
    private final class LongWork: Sendable {
        private static let maximumPauses = 1_000_000
        private let arrived = Mutex(0)

        var service: Service {
            Service(
                respond: { request in .later { await self.respond(to: request) } },
                refuse: { status, _, _ in Response(status) }
            )
        }

        private func respond(to request: Request) async -> Response {
            guard request.path == "/long" else {
                arrived.withLock { $0 += 1 }
                return Response(.ok, body: Array("short".utf8))
            }
            var pauses = 0
            while arrived.withLock({ $0 }) == 0, pauses < Self.maximumPauses {
                await WatchedDescriptors.pause(since: 0)
                pauses += 1
            }
            return Response(
                .ok,
                body: Array(pauses < Self.maximumPauses ? "long".utf8 : "alone".utf8)
            )
        }
    }

    @Test func `serves a request that arrives during the pauses of others`() async throws {
        try await onThread {
            let server = try Server(
                ServerConfiguration(
                    endpoint: .address(host: "127.0.0.1", port: 0),
                    loops: 1,
                    limits: .patient,
                    service: LongWork().service
                )
            )
            defer { server.stop() }
            let clients = try (0..<3).map { _ in try Client() }
            for client in clients {
                try client.connect(to: server.port)
                try client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            let other = try Client()
            try other.connect(to: server.port)
            try other.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(try other.receive() == .ok("short"))
            for client in clients { #expect(try client.receive() == .ok("long")) }
        }
    }

    /// Responds to `/list` once as many requests have arrived as lists are expected.
    private final class Gathering: Sendable {
        private let count: Int
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

        init(_ count: Int) {
            self.count = count
        }

        var service: Service {
            Service(
                respond: { request in
                    .later(listSize: request.path == "/list" ? .max : nil) { await self.respond() }
                },
                refuse: { status, _, _ in Response(status) }
            )
        }

        private func respond() async -> Response {
            await withCheckedContinuation { task in
                let all = waiting.withLock { waiting in
                    waiting.append(task)
                    return waiting.count == count ? waiting : []
                }
                for task in all { task.resume() }
            }
            return Response(.ok, body: Array("list".utf8))
        }
    }

    @Test func `lists that wait for something else leave their memory to others`() async throws {
        try await onThread {
            var limits = Limits.patient
            // Room for seven lists that are being written.
            limits.responseMegabytes = 64
            let server = try Server(
                ServerConfiguration(
                    endpoint: .address(host: "127.0.0.1", port: 0),
                    loops: 1,
                    limits: limits,
                    service: Gathering(20).service
                )
            )
            defer { server.stop() }
            let clients = try (0..<20).map { _ in try Client() }
            for client in clients {
                try client.connect(to: server.port)
                try client.send("GET /list HTTP/1.1\r\nHost: a\r\n\r\n")
            }

            for client in clients { #expect(try client.receive() == .ok("list")) }
            #expect(server.responseBytes == 0)
        }
    }
}
