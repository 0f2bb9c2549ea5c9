import struct Synchronization.Atomic
import System

/// The totals of a writer since it was opened.
package struct WriterTotals: Sendable, Equatable {
    /// The durable transactions.
    package internal(set) var commits: UInt64 = 0
    /// The writes in them; divided by `commits`, the number of writes for each sync.
    package internal(set) var committedWrites: UInt64 = 0
    /// The transactions by their number of writes: at most 1, 2, 4 … 512.
    package internal(set) var commitsByWrites = [UInt64](repeating: 0, count: 10)
    /// The duration of all transactions, in µs.
    package internal(set) var microseconds: UInt64 = 0
    /// The writes that failed with their transaction.
    package internal(set) var failedWrites: UInt64 = 0
    /// The number of complete or partial checkpoints.
    package internal(set) var checkpoints: UInt64 = 0
}

/// A change in the state of an open database's files.
package enum WriterEvent: Equatable, Sendable {
    /// Files were moved, deleted or replaced, and all writes are rejected from now on.
    case filesLost(cause: String)
    /// All files are back in place.
    case filesFound
}

/// The state of the writer's thread for other threads.
final class WriterStatus: Sendable {
    private let pages = Atomic<Int>(0)
    private let counts = Mutex(WriterTotals())
    private let state = Mutex(State())
    private let observe: @Sendable (WriterEvent) -> Void

    private struct State {
        var files: OpenFiles?
        var filesProblem: String?
        /// When a transaction last failed because the disk was full, in ms of the monotonic clock.
        var fullAt: Int64?
    }

    /// Creates a status; `observe` is called on the writer's thread.
    init(observe: @escaping @Sendable (WriterEvent) -> Void) {
        self.observe = observe
    }

    /// The files that the writer has open.
    var files: OpenFiles? {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    /// The fault of the files; nil if they are in place.
    var filesProblem: String? { state.withLock { $0.filesProblem } }

    /// The time since a transaction failed because the disk was full, in ms; nil if none has.
    var millisecondsSinceFullDisk: Int64? {
        state.withLock { $0.fullAt }.map { MonotonicClock.milliseconds() &- $0 }
    }

    /// Records what is wrong with the files, or nil for nothing.
    func noteFiles(_ problem: String?) {
        let hasChanged = state.withLock { state in
            defer { state.filesProblem = problem }
            return state.filesProblem != problem
        }
        guard hasChanged else { return }
        observe(problem.map { .filesLost(cause: $0) } ?? .filesFound)
    }

    var walPages: Int {
        get { pages.load(ordering: .relaxed) }
        set { pages.store(newValue, ordering: .relaxed) }
    }

    var totals: WriterTotals { counts.withLock { $0 } }

    func noteCommit(writes: Int, microseconds: Int64) {
        // The position of the smallest power of two that is not below `writes`.
        let place = UInt.bitWidth - UInt(max(0, writes - 1)).leadingZeroBitCount
        counts.withLock { counts in
            counts.commits &+= 1
            let last = counts.commitsByWrites.count - 1
            counts.commitsByWrites[min(place, last)] &+= 1
            counts.microseconds &+= UInt64(clamping: microseconds)
            counts.committedWrites &+= UInt64(writes)
        }
    }

    func noteFailure(writes: Int, of error: any Error) {
        counts.withLock { $0.failedWrites &+= UInt64(writes) }
        guard (error as? SQLiteError)?.code.isOfFullDisk == true else { return }
        state.withLock { $0.fullAt = MonotonicClock.milliseconds() }
    }

    func noteCheckpoint() {
        counts.withLock { $0.checkpoints &+= 1 }
    }
}
