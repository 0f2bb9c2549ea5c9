import struct Synchronization.Atomic

/// Has the loop of an open stream call the stream's `next`; may be used on any thread.
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

    /// Wakes the stream; does nothing if it is woken already.
    ///
    /// The first call after the stream's end lists a number that the loop no longer knows.
    func wake() {
        let wasPending = isPending.exchange(true, ordering: .acquiringAndReleasing)
        if !wasPending { executor.wake(stream: id) }
    }

    /// Notes that `next` is about to be called: it sees whatever came before earlier calls of
    /// `wake`.
    func beginNext() {
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
