/// A thread that performs one job at a time for another thread, which goes on meanwhile.
///
/// Jobs get a state that only this thread uses. The thread ends when it is stopped, or after the
/// last reference was released.
package final class JobThread<State, Output: Sendable>: Sendable {
    package typealias Job = @Sendable (inout State) -> Output

    private let work: JobThreadWork<State, Output>
    private let thread: Mutex<POSIXThread?>

    /// Starts the thread.
    ///
    /// - Parameter initialState: Called on the thread.
    /// - Throws: `ThreadError` if the system can't create one.
    package init(_ initialState: @escaping @Sendable () -> State) throws(ThreadError) {
        let work = JobThreadWork<State, Output>()
        self.work = work
        thread = Mutex(try POSIXThread { work.run(initialState()) })
    }

    deinit {
        work.stop()
        // The last reference may be released on this very thread, which can't join itself.
        thread.withLock { $0 }?.detach()
    }

    /// Whether a job has not ended.
    package var isBusy: Bool { work.state.withLock { $0.job != nil } }

    /// The output of the last job; nil if it has not ended or `finish` was called since.
    package var output: Output? { work.state.withLock { $0.output } }

    /// Begins a job; the job before it must have ended.
    package func begin(_ job: @escaping Job) {
        work.state.withLock { state in
            state.output = nil
            state.job = job
        }
        work.arrival.signal()
    }

    /// Waits for the end of the job, if there is one.
    ///
    /// - Returns: Its output; nil if there was no job since the last call.
    package func finish() -> Output? {
        while isBusy { work.end.wait(atMostMilliseconds: nil) }
        return work.state.withLock { state in
            defer { state.output = nil }
            return state.output
        }
    }

    /// Waits for the end of the job, and ends the thread.
    package func stop() {
        work.stop()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}

/// The state that the thread shares with the thread that uses it.
private final class JobThreadWork<State, Output: Sendable>: Sendable {
    struct Progress {
        /// The job that has not ended.
        var job: JobThread<State, Output>.Job?
        var output: Output?
        var isStopping = false
    }

    let state = Mutex(Progress())
    let arrival = Semaphore()
    let end = Semaphore()

    /// Performs jobs until the thread is stopped.
    func run(_ initialState: consuming State) {
        var jobState = initialState
        while let job = nextJob() {
            let output = job(&jobState)
            state.withLock { progress in
                progress.job = nil
                progress.output = output
            }
            end.signal()
        }
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        arrival.signal()
    }

    private func nextJob() -> JobThread<State, Output>.Job? {
        while true {
            let (job, isStopping) = state.withLock { ($0.job, $0.isStopping) }
            if let job { return job }
            if isStopping { return nil }
            arrival.wait(atMostMilliseconds: nil)
        }
    }
}
