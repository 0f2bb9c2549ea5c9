import Testing
import System

@Suite struct MutexArrayTests {
    private final class Witness: Sendable {
        let ends: Counter

        init(ends: Counter) {
            self.ends = ends
        }

        deinit {
            ends.value.withLock { count in count += 1 }
        }
    }

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    private final class Counts: Sendable {
        let values = MutexArray(count: 3) { 0 }

        var all: [Int] {
            var all: [Int] = []
            values.forEach { value in all.append(value) }
            return all
        }
    }

    @Test func `keeps its values apart, and takes any index for one of them`() {
        let counts = Counts()

        for index in [0, 1, 1, 5, -1, Int.min, Int.max] {
            counts.values.withLock(at: index) { value in value += 1 }
        }

        #expect(counts.all == [2, 3, 2])
    }

    @Test func `has at least one value`() {
        let values = MutexArray(count: -1) { 7 }

        #expect(values.withLock(at: 3) { $0 } == 7)
    }

    @Test func `loses nothing that threads change at once`() throws {
        let counts = Counts()

        let threads = try (0..<8).map { number in
            try POSIXThread {
                for _ in 0..<1000 { counts.values.withLock(at: number) { value in value += 1 } }
            }
        }
        for thread in threads { thread.join() }

        #expect(counts.all == [3000, 3000, 2000])
    }

    @Test func `lets go of its values in the end`() {
        let ends = Counter()

        do {
            let witnesses = MutexArray(count: 4) { Witness(ends: ends) }
            #expect(ends.value.withLock { $0 } == 0)
            _ = witnesses.withLock(at: 0) { $0 }
        }

        #expect(ends.value.withLock { $0 } == 4)
    }
}
