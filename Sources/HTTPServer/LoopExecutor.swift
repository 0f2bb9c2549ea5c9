import Glibc
import struct Synchronization.Atomic
import Threads

/// Runs the jobs of one event loop on that loop's thread, and wakes it when a job arrives from
/// another one, or when one wakes a stream.
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

    /// Lists a stream that has more to send, and wakes the thread if it waits: once, however many
    /// streams are listed before it looks.
    func wake(stream id: UInt64) {
        state.withLock { state in
            state.wokenStreams.append(id)
            guard state.isWaiting else { return }
            state.isWaiting = false
            // Without the lock, the loop could end before this, and its descriptor be another
            // file's.
            wakeUp.signal()
        }
    }

    /// Makes the calling thread the one on which jobs run.
    func bindToCurrentThread() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the event loop's thread")
    }

    /// Runs jobs until there are none; `scratch` is an empty array whose storage is used again.
    func runJobs(_ scratch: inout [UnownedJob]) {
        while takeJobs(&scratch) {
            // Named as both, a task that returns to the loop's actor goes on at once; named as
            // one, it would be enqueued again at each such return: 5 jobs a request instead of 1.
            for job in scratch {
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(),
                    taskExecutor: asUnownedTaskExecutor()
                )
            }
            scratch.removeAll(keepingCapacity: true)
        }
    }

    /// Announces that the thread is about to wait; false if there is a job or a woken stream, so
    /// that it must not.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.jobs.isEmpty && state.wokenStreams.isEmpty
            return state.isWaiting
        }
    }

    /// Announces that the thread no longer waits, so that new jobs need not wake it; swaps the
    /// streams that were woken for `woken`, which is empty.
    func finishWaiting(_ woken: inout [UInt64]) {
        state.withLock { state in
            state.isWaiting = false
            if !state.wokenStreams.isEmpty { swap(&state.wokenStreams, &woken) }
        }
    }

    private func takeJobs(_ scratch: inout [UnownedJob]) -> Bool {
        state.withLock { state in
            swap(&state.jobs, &scratch)
            return !scratch.isEmpty
        }
    }
}
