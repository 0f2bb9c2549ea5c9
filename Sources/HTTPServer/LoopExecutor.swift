import System
import Glibc
import struct Synchronization.Atomic

/// An executor that runs the jobs of an event loop on that loop's thread.
///
/// Jobs and woken streams from other threads wake the thread.
final class LoopExecutor: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var wokenStreams: [UInt64] = []
        var isWaiting = false
    }

    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { wakeUp.signal() }
    }

    /// Marks a stream as woken, and wakes the thread if it waits.
    ///
    /// The thread is notified only once, however many streams are woken before it checks.
    func wake(stream id: UInt64) {
        state.withLock { state in
            state.wokenStreams.append(id)
            guard state.isWaiting else { return }
            state.isWaiting = false
            // Without the lock, the loop could end first, and the descriptor be another file's.
            wakeUp.signal()
        }
    }

    /// Runs jobs on the calling thread from now on.
    func bindToCurrentThread() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the event loop's thread")
    }

    /// Moves the jobs that are waiting to `scratch`, an empty array whose storage is reused.
    ///
    /// Returns whether there were any.
    func takeJobs(_ scratch: inout [UnownedJob]) -> Bool {
        state.withLock { state in
            swap(&state.jobs, &scratch)
            return !scratch.isEmpty
        }
    }

    /// Runs a job on the calling thread.
    func run(_ job: UnownedJob) {
        // With both executors, a task that returns to the loop's actor continues immediately.
        // With only one, it would be enqueued at each return: 5 jobs a request instead of 1.
        unsafe job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(),
            taskExecutor: asUnownedTaskExecutor()
        )
    }

    /// Announces that the thread is about to wait; false if there is a job or a woken stream.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.jobs.isEmpty && state.wokenStreams.isEmpty
            return state.isWaiting
        }
    }

    /// Announces that the thread no longer waits, so that new jobs don't need to wake it.
    ///
    /// Swaps the woken streams with `woken`, which is empty.
    func finishWaiting(_ woken: inout [UInt64]) {
        state.withLock { state in
            state.isWaiting = false
            if !state.wokenStreams.isEmpty { swap(&state.wokenStreams, &woken) }
        }
    }
}
