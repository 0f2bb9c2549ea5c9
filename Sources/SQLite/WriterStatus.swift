import struct Synchronization.Atomic
import Threads

/// What a writer has done since it was opened.
package struct WriterTotals: Sendable, Equatable {
    /// Transactions that are durable.
    package internal(set) var commits: UInt64 = 0
    /// Writes in them; divided by `commits`, how many shared one wait for the disk.
    package internal(set) var committedWrites: UInt64 = 0
    /// Transactions by the number of writes in them: at most 1, 2, 4 … 512.
    package internal(set) var commitsByWrites = [UInt64](repeating: 0, count: 10)
    /// The time that all of them took, in µs.
    package internal(set) var microseconds: UInt64 = 0
    /// Writes that failed with their whole transaction.
    package internal(set) var failedWrites: UInt64 = 0
    /// Times the WAL was copied into the database, wholly or in part.
    package internal(set) var checkpoints: UInt64 = 0
}

/// What the writer's thread lets others know.
final class WriterStatus: Sendable {
    private let pages = Atomic<Int>(0)
    private let counts = Mutex(WriterTotals())

    var walPages: Int {
        get { pages.load(ordering: .relaxed) }
        set { pages.store(newValue, ordering: .relaxed) }
    }

    var totals: WriterTotals { counts.withLock { $0 } }

    func noteCommit(writes: Int, microseconds: Int64) {
        // The place of the least power of two that is not below.
        let place = UInt.bitWidth - UInt(max(0, writes - 1)).leadingZeroBitCount
        counts.withLock { counts in
            counts.commits &+= 1
            let last = counts.commitsByWrites.count - 1
            counts.commitsByWrites[min(place, last)] &+= 1
            counts.microseconds &+= UInt64(clamping: microseconds)
            counts.committedWrites &+= UInt64(writes)
        }
    }

    func noteFailure(writes: Int) {
        counts.withLock { $0.failedWrites &+= UInt64(writes) }
    }

    func noteCheckpoint() {
        counts.withLock { $0.checkpoints &+= 1 }
    }
}
