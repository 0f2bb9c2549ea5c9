import Rules
import System
import Testing

@testable import PostgreSQLStorage

@Suite struct RecordQueuesTests {
    @Test func runsOneTaskAtATimeForEachRecord() async throws {
        let queues = RecordQueues { 0 }
        let counts = Counts()
        let tasks = (0..<60).map { number in
            Task {
                let id = Int64(number % 2)
                try await queues.withRecord(id) {
                    #expect(counts.begin(id) == 1)
                    await Task.yield()
                    counts.end(id)
                }
            }
        }
        for task in tasks { try await task.value }

        #expect(counts.totals == [0: 30, 1: 30])
    }

    @Test func letsTheNextTaskGoOnAfterAnError() async throws {
        let queues = RecordQueues()
        await #expect(throws: ModelError.notFound) {
            try await queues.withRecord(1) { throw ModelError.notFound }
        }

        let value = try await queues.withRecord(1) { 7 }
        #expect(value == 7)
    }
}

extension RecordQueuesTests {
    @Test func rejectsATaskWhoseTurnComesTooLate() async throws {
        let clock = Mutex<Int64>(0)
        let queues = RecordQueues { clock.withLock { $0 } }
        let late = try await queues.withRecord(1) {
            // It arrives while this one has its turn.
            let arrival = AsyncStream<Void>.makeStream()
            let late = Task {
                arrival.continuation.finish()
                try await queues.withRecord(1) { _ = Issue.record("too late") }
            }
            for await _ in arrival.stream {}
            while queues.waitingCount(for: 1) == 0 { await Task.yield() }
            clock.withLock { $0 = 5001 }
            return late
        }

        await #expect(throws: ModelError.self) { try await late.value }
        #expect(try await queues.withRecord(1) { 7 } == 7)
    }
}

/// Counts the tasks that are running, and those that have run.
private final class Counts: Sendable {
    private let state = Mutex<(running: [Int64: Int], totals: [Int64: Int])>(([:], [:]))

    var totals: [Int64: Int] { state.withLock { $0.totals } }

    func begin(_ id: Int64) -> Int {
        state.withLock { state in
            state.running[id, default: 0] += 1
            state.totals[id, default: 0] += 1
            return state.running[id, default: 0]
        }
    }

    func end(_ id: Int64) {
        state.withLock { $0.running[id, default: 0] -= 1 }
    }
}
