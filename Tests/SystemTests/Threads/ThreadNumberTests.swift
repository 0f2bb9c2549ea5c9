import Testing
import System

@Suite struct ThreadNumberTests {
    private final class Numbers: Sendable {
        let list = Mutex<[[Int]]>([])
    }

    @Test func `each thread has a number of its own, and keeps it`() throws {
        let numbers = Numbers()

        let threads = try (0..<8).map { _ in
            try POSIXThread {
                let own = (0..<3).map { _ in POSIXThread.number }
                numbers.list.withLock { list in list.append(own) }
            }
        }
        for thread in threads { thread.join() }

        let list = numbers.list.withLock { $0 }
        #expect(list.count == 8)
        #expect(list.allSatisfy { Set($0).count == 1 && $0[0] >= 0 })
        #expect(Set(list.map { $0[0] }).count == 8)
    }
}
