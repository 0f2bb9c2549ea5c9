import Events
import SQLite
import struct Synchronization.Atomic
import System
import Time

/// Deletes old changes from the log in the background, a few in each transaction of the writer.
final class LogPruner: Sendable {
    /// The number of transactions one after the other.
    private static let mostTransactions = 10_000

    private let writer: Writer
    private let retention: LogRetention
    private let isStopping = Atomic(false)
    private let stopSignal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// Creates a pruner that does nothing yet.
    init(_ writer: Writer, _ retention: LogRetention = LogRetention()) {
        self.writer = writer
        self.retention = retention
    }

    /// Starts the thread; throws `ThreadError` if that fails.
    func start() throws {
        let thread = try POSIXThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread; blocks until that is done.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        stopSignal.signal()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func run() {
        while true {
            stopSignal.wait(atMostMilliseconds: LogRetention.intervalMilliseconds)
            for _ in 0..<Self.mostTransactions {
                if isStopping.load(ordering: .relaxed) { return }
                guard pruneSome() else { break }
            }
        }
    }

    /// Deletes some changes, and returns whether there may be more to delete.
    private func pruneSome() -> Bool {
        // A failure is that of the next write, too, which reports it.
        let hasMore = try? writer.writeAndWait { [retention] connection in
            try SQLiteLog(connection).prune(retention, now: Timestamp.now().milliseconds)
        }
        return hasMore ?? false
    }
}
