import System

/// A write, with the closures that report its outcome.
struct WriteJob: Sendable {
    /// Performs the write, and returns a closure that calls back the caller when it is durable.
    let perform: @Sendable (Connection) throws -> @Sendable () -> Void
    /// Reports an error to the caller.
    let fail: @Sendable (any Error) -> Void
}

/// The writes that wait for the writer's thread.
final class WriteQueue: Sendable {
    /// The next work of the writer's thread.
    enum Work {
        case jobs([WriteJob])
        /// No job arrived in the given time.
        case idle
        /// The queue is empty and stopped.
        case stopped
    }

    private struct State {
        var jobs: [WriteJob] = []
        var isWaiting = false
        var isStopping = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let arrival = Semaphore()

    /// Creates a queue with space for `capacity` jobs.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Appends a job, or returns the error that rejects it.
    func append(_ job: WriteJob) -> WriterError? {
        let (error, mustWake) = state.withLock { state -> (WriterError?, Bool) in
            if state.isStopping { return (.stopped, false) }
            if state.jobs.count >= capacity { return (.queueFull, false) }
            state.jobs.append(job)
            defer { state.isWaiting = false }
            return (nil, state.isWaiting)
        }
        if mustWake { arrival.signal() }
        return error
    }

    /// The number of waiting jobs.
    var count: Int {
        state.withLock { $0.jobs.count }
    }

    /// Rejects all further jobs.
    func stop() {
        state.withLock { $0.isStopping = true }
        arrival.signal()
    }

    /// Removes and returns up to `limit` jobs, and waits if there are none; without a limit if nil.
    func take(_ limit: Int, waitingAtMostMilliseconds patience: Int64?) -> Work {
        let deadline = patience.map { MonotonicClock.milliseconds() &+ $0 }
        while true {
            if let work = takeNow(limit) { return work }
            let remaining = deadline.map { $0 &- MonotonicClock.milliseconds() }
            if let remaining, remaining <= 0 { return .idle }
            arrival.wait(atMostMilliseconds: remaining)
        }
    }

    /// Returns the work that is available; nil announces that the thread is about to wait.
    private func takeNow(_ limit: Int) -> Work? {
        state.withLock { state in
            state.isWaiting = false
            if state.jobs.isEmpty {
                if state.isStopping { return .stopped }
                state.isWaiting = true
                return nil
            }
            var jobs: [WriteJob] = []
            swap(&jobs, &state.jobs)
            if jobs.count > limit {
                state.jobs = Array(jobs[limit...])
                jobs.removeSubrange(limit...)
            }
            return .jobs(jobs)
        }
    }
}
