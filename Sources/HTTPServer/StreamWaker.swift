import struct Synchronization.Atomic

/// A flag for one open stream, whose loop then calls `next`; can be used on any thread.
final class StreamWaker: Sendable {
    /// The stream's number on its loop.
    let id: UInt64
    private let executor: LoopExecutor
    private let isPending = Atomic<Bool>(false)

    init(id: UInt64, executor: LoopExecutor) {
        self.id = id
        self.executor = executor
    }

    /// Whether the stream was woken since `beginNext`.
    var isWoken: Bool { isPending.load(ordering: .acquiring) }

    /// Wakes the stream, and does nothing if it is already woken.
    ///
    /// The first call after the stream's end lists a number that the loop no longer knows.
    func wake() {
        let wasPending = isPending.exchange(true, ordering: .acquiringAndReleasing)
        if !wasPending { executor.wake(stream: id) }
    }

    /// Clears the flag before a call of `next`, which sees what preceded earlier calls of `wake`.
    func beginNext() {
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
