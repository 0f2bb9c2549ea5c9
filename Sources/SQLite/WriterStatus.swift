import Metrics
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

/// What becomes of the files of a database that is open.
package enum WriterEvent: Equatable, Sendable {
    /// They are not where they were, so that every write is refused from now on.
    case filesLost(cause: String)
    /// They are where they were again.
    case filesFound
}

/// Why a transaction was not made, and when.
package struct WriterFailure: Sendable {
    package let error: any Error
    /// By `MonotonicClock`, in ms.
    package let milliseconds: Int64
}

/// What the writer's thread lets others know.
final class WriterStatus: Sendable {
    private let pages = Atomic<Int>(0)
    private let counts = Mutex(WriterTotals())
    private let state = Mutex(State())
    private let observe: @Sendable (WriterEvent) -> Void

    private struct State {
        var files: OpenFiles?
        var filesProblem: String?
        var failure: WriterFailure?
    }

    /// `observe` is called on the writer's thread.
    init(observe: @escaping @Sendable (WriterEvent) -> Void) {
        self.observe = observe
    }

    /// The files that the writer has open.
    var files: OpenFiles? {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    /// What has become of the files, if they are not where they were.
    var filesProblem: String? { state.withLock { $0.filesProblem } }

    /// The latest transaction that failed; nil if none has.
    var failure: WriterFailure? { state.withLock { $0.failure } }

    /// Notes what has become of the files, nil for nothing.
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

    func noteFailure(writes: Int, of error: any Error) {
        counts.withLock { $0.failedWrites &+= UInt64(writes) }
        let failure = WriterFailure(error: error, milliseconds: MonotonicClock.milliseconds())
        state.withLock { $0.failure = failure }
    }

    func noteCheckpoint() {
        counts.withLock { $0.checkpoints &+= 1 }
    }
}
