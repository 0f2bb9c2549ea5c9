import Testing
import System

@Suite struct JobThreadTests {
    private let thread: JobThread<[Int], Int>

    init() throws {
        thread = try JobThread { [100] }
    }

    private func add(_ number: Int) {
        thread.begin { numbers in
            numbers.append(number)
            return numbers.reduce(0, +)
        }
    }

    @Test func givesEachJobTheStateThatTheJobBeforeHasLeft() {
        add(10)
        #expect(thread.finish() == 110)
        add(1)
        #expect(thread.finish() == 111)
        thread.stop()
    }

    @Test func givesAnOutputOnce() {
        #expect(thread.finish() == nil)
        add(10)
        while thread.isBusy {}
        #expect(thread.output == 110)
        #expect(thread.finish() == 110)
        #expect(thread.finish() == nil)
        #expect(thread.output == nil)
        thread.stop()
    }

    @Test func isBusyUntilTheJobHasEnded() {
        let mayEnd = Semaphore()
        thread.begin { _ in
            mayEnd.wait(atMostMilliseconds: nil)
            return 7
        }
        #expect(thread.isBusy)
        #expect(thread.output == nil)
        mayEnd.signal()
        #expect(thread.finish() == 7)
        #expect(!thread.isBusy)
        thread.stop()
    }

    @Test func endsTheJobBeforeItStops() {
        let ended = Mutex(false)
        thread.begin { _ in
            ended.withLock { $0 = true }
            return 0
        }
        thread.stop()
        #expect(ended.withLock { $0 })
    }

    @Test func releasesItsStateAfterTheLastReference() throws {
        final class Resource: Sendable {
            let released: Semaphore
            init(_ released: Semaphore) { self.released = released }
            deinit { released.signal() }
        }
        let released = Semaphore()
        _ = try JobThread<Resource, Int> { Resource(released) }
        released.wait(atMostMilliseconds: nil)
    }
}
