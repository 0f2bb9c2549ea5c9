/// An executor that runs the jobs of its tasks on one thread, one after the other.
///
/// The thread starts with a job, and ends after some seconds without any.
package final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    /// The time without jobs after which the thread ends, in ms.
    private static let idleMilliseconds: Int64 = 10_000

    private let state = Mutex(State())
    private let arrival = Semaphore()

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        arrival.signal()
        // Without a thread, the caller runs the jobs, which takes its time and loses none.
        if mustStart, (try? POSIXThread { self.run() }) == nil { run(waits: false) }
    }

    private func run(waits: Bool = true) {
        while true {
            let jobs = takeJobs()
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            guard jobs.isEmpty else { continue }
            let hasSignal = waits && arrival.wait(atMostMilliseconds: Self.idleMilliseconds)
            if !hasSignal, endsThread() { return }
        }
    }

    private func takeJobs() -> [UnownedJob] {
        state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    private func endsThread() -> Bool {
        state.withLock { state in
            state.hasThread = !state.jobs.isEmpty
            return !state.hasThread
        }
    }
}
