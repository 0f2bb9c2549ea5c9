import Glibc
import System
import Testing

@Suite struct POSIXThreadTests {
    /// The nice value of the calling thread.
    private static var niceness: Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    @Test func `gives way without other threads`() throws {
        let usual = Self.niceness
        let found = Mutex<[Int32]>([])
        @Sendable func note() { found.withLock { $0.append(Self.niceness) } }

        try POSIXThread {
            note()
            POSIXThread.giveWay()
            note()
        }.join()
        try POSIXThread { note() }.join()

        #expect(found.withLock { $0 } == [usual, 10, usual])
        #expect(Self.niceness == usual)
    }
}
