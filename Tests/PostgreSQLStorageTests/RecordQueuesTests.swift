import Model
import Testing
import Threads

@testable import PostgreSQLStorage

@Suite struct RecordQueuesTests {
    @Test func runsOneTaskAtATimeForEachRecord() async throws {
        let queues = RecordQueues()
        let counts = Mutex([Int64: (running: Int, total: Int)]())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let id = Int64(number % 2)
                    try await queues.withRecord(id) {
                        let running = counts.withLock { counts -> Int in
                            counts[id, default: (0, 0)].running += 1
                            counts[id, default: (0, 0)].total += 1
                            return counts[id, default: (0, 0)].running
                        }
                        #expect(running == 1)
                        await Task.yield()
                        counts.withLock { $0[id, default: (0, 0)].running -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(counts.withLock { $0.mapValues(\.total) } == [0: 30, 1: 30])
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
