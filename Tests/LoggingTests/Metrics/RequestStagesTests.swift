import Logging
import Testing
import System

@Suite struct RequestStagesTests {
    @Test func `adds up the time at each stage`() {
        let stages = RequestStages()

        stages.add(.transaction, from: 10, to: 25)
        stages.add(.transaction, from: 100, to: 101)
        stages.add(.hashing, from: 7, to: 3)

        #expect(stages[.transaction] == 16)
        #expect(stages[.hashing] == 0)
        #expect(stages[.writerQueue] == 0)
    }

    @Test func `watches only where somebody wants to know`() async throws {
        #expect(StageWatch(queue: .writerQueue, work: .transaction) == nil)

        let stages = RequestStages()
        await RequestStages.$current.withValue(stages) {
            let watch = StageWatch(queue: .writerQueue, work: .transaction)
            let began = MonotonicClock.microseconds()
            // Until the clock has gone on.
            while MonotonicClock.microseconds() < began + 2 { await Task.yield() }
            let working = watch?.beginning()
            let begun = MonotonicClock.microseconds()
            while MonotonicClock.microseconds() < begun + 2 { await Task.yield() }
            working?.finish()
        }

        #expect(stages[.writerQueue] > 0)
        #expect(stages[.transaction] > 0)
        #expect(stages[.hashing] == 0)
    }
}
