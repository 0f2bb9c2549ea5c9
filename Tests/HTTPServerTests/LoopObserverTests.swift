import Dispatch
import HTTPServer
import HTTP
import Testing
import System

@Suite struct LoopObserverTests {
    /// Lets a request that is held back go on at the end of a batch, when the loop has nothing else
    /// to do, and knows whether the loop has settled since that was answered.
    private final class LateJob: Sendable {
        private let isAnswered = Mutex(false)
        private let settled = DispatchSemaphore(value: 0)
        private let stub: StubService

        init(_ stub: StubService) {
            self.stub = stub
        }

        var service: Service {
            Service(
                respond: { request in
                    .later {
                        let response = await self.stub.respond(to: request)
                        self.isAnswered.withLock { $0 = true }
                        return response
                    }
                },
                refuse: { status, _, _ in Response(status) }
            )
        }

        var observer: LoopObserver {
            var observer = LoopObserver()
            observer.batchDidFinish = { if !self.stub.paths.isEmpty { self.stub.open() } }
            observer.loopDidSettle = {
                if self.isAnswered.withLock({ $0 }) { self.settled.signal() }
            }
            return observer
        }

        /// False if the loop did not settle in any time that makes sense.
        func awaitSettling() -> Bool {
            settled.wait(timeout: .now() + .seconds(120)) == .success
        }
    }

    @Test func `settles after a job that came when the loop was about to wait`() async throws {
        try await onThread {
            let job = LateJob(StubService())
            let server = try Server(
                ServerConfiguration(
                    endpoint: .address(host: "127.0.0.1", port: 0),
                    loops: 1,
                    limits: .patient,
                    service: job.service,
                    observer: job.observer
                )
            )
            defer { server.stop() }
            let client = try Client(receiveBuffer: nil)
            try client.connect(to: server.port)

            try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(try client.receive() == .ok("GET /wait "))
            #expect(job.awaitSettling())
        }
    }
}
