import Testing
import System

@Suite struct MonotonicClockTests {
    @Test func `never goes back`() {
        let start = MonotonicClock.microseconds()
        let milliseconds = MonotonicClock.milliseconds()
        let end = MonotonicClock.microseconds()

        #expect(start <= end)
        #expect((start / 1000...end / 1000).contains(milliseconds))
    }

    @Test func `the recent time is not ahead`() {
        let recent = MonotonicClock.recentMilliseconds()

        #expect(recent <= MonotonicClock.milliseconds())
        #expect(recent > 0)
    }
}
