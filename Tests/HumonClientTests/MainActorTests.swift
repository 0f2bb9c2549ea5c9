import Foundation
import Testing

@testable import HumonClient

/// Calls from the main actor.
@Suite struct MainActorTests {
    @MainActor
    @Test func `are sent elsewhere`() async throws {
        let isOnMain = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: isOnMain, value: true)
        let seen = Locked<[Bool]>([])
        let humon = try HumonClient.test {
            $0.timeout = .zero
            $0.traceparent = {
                let isHere = DispatchQueue.getSpecific(key: isOnMain) == true
                seen.withLock { $0.append(isHere) }
                return nil
            }
        }

        _ = humon.configuration.traceparent?()
        _ = try? await humon.events.page(.all)
        do {
            for try await _ in humon.events.search(.all) {}
        } catch {
            #expect(error.kind == .timeout)
        }

        #expect(seen.withLock { $0 } == [true, false, false])
    }

    #if os(Linux)
    @Test func `leave it while they decode`() async throws {
        let (call, decoding) = try await Screen().times(ofEvents: 1_000)
        #expect(call < decoding / 10)
    }
    #endif

    /// What isn't `@concurrent` could decode on the actor of its caller.
    @Test func `leave it in each method`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "HumonClient.api")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let methods = lines.filter { $0.contains(" async ") && !$0.contains("func next()") }

        #expect(methods.count > 25)
        #expect(methods.filter { !$0.contains("@concurrent ") } == [])
    }
}

#if os(Linux)
/// An actor in place of the main one, with a clock that only its own work moves.
actor Screen {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "screen")
        /// The time of the processor that the actor has used, in ms.
        let used = Locked(0.0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async {
                let start = Self.threadTime()
                job.runSynchronously(on: self.asUnownedSerialExecutor())
                self.used.withLock { $0 += Self.threadTime() - start }
            }
        }

        private static func threadTime() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Returns the time that a page takes from the actor, and how long it would be if the page was
    /// decoded on the actor, in ms.
    nonisolated func times(ofEvents count: Int) async throws -> (call: Double, decoding: Double) {
        let events = Array(repeating: DecodingTests.most, count: count).joined(separator: ",")
        let json = Data(#"{"events":[\#(events)]}"#.utf8)
        let server = try LocalServer(sending: json)
        let humon = HumonClient(HumonConfiguration(baseURL: server.url), tokens: MemoryTokenStore())

        let page = try await page(of: humon)
        let call = executor.queue.sync { executor.used.withLock(\.self) }
        let decoded = try await decode(json)
        let total = executor.queue.sync { executor.used.withLock(\.self) }

        #expect(page == decoded)
        #expect(page.events.count == count)
        return (call, total - call)
    }

    private func page(of humon: HumonClient) async throws -> EventPage {
        try await humon.events.page(.all)
    }

    private func decode(_ json: Data) throws -> EventPage {
        try Reply(body: json).decode()
    }
}
#endif
