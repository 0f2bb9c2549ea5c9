import Testing
import System

struct ThreadSpecificTests {
    /// Counts itself as long as it exists.
    private final class Guest: Sendable {
        private let count: Count

        init(_ count: Count) {
            self.count = count
            count.number.withLock { $0 += 1 }
        }

        deinit {
            count.number.withLock { $0 -= 1 }
        }
    }

    private final class Count: Sendable {
        let number = Mutex(0)
    }

    private let count = Count()

    @Test func isReleasedWhenItsThreadEnds() throws {
        let guests = try ThreadSpecific<Guest>()
        let seen = Mutex<[Int]>([])
        let thread = try POSIXThread { [count] in
            try? guests.keep(Guest(count))
            seen.withLock { $0.append(count.number.withLock { $0 }) }
        }
        thread.join()

        #expect(seen.withLock { $0 } == [1])
        #expect(count.number.withLock { $0 } == 0)
        #expect(guests.current == nil)
    }

    @Test func isReturnedByItsRemoval() throws {
        let guests = try ThreadSpecific<Guest>()
        let guest = Guest(count)
        try guests.keep(guest)
        #expect(guests.current === guest)

        #expect(guests.remove() === guest)
        #expect(guests.current == nil)
        #expect(guests.remove() == nil)
    }
}
