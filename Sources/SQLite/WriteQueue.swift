import Metrics
import Threads

/// One write, from its call to its answer.
struct WriteJob: Sendable {
    /// Does the work, and returns what answers the caller once it is durable.
    let perform: @Sendable (Connection) throws -> @Sendable () -> Void
    /// Answers the caller with an error.
    let fail: @Sendable (any Error) -> Void
}

/// The writes that wait for the writer's thread.
final class WriteQueue: Sendable {
    /// What there is to do.
    enum Work {
        case jobs([WriteJob])
        /// Nothing came in the time given.
        case idle
        /// Nothing waits, and nothing will come.
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

    /// A queue in which at most `capacity` jobs wait.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lets a job wait, or tells why it may not.
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

    /// How many jobs wait.
    var count: Int {
        state.withLock { $0.jobs.count }
    }

    /// Refuses every further job.
    func stop() {
        state.withLock { $0.isStopping = true }
        arrival.signal()
    }

    /// Takes the first jobs, `limit` at most, and waits if there are none: for ever, or as long
    /// as it says.
    func take(_ limit: Int, waitingAtMostMilliseconds patience: Int64?) -> Work {
        let deadline = patience.map { MonotonicClock.milliseconds() &+ $0 }
        while true {
            if let work = takeNow(limit) { return work }
            let remaining = deadline.map { $0 &- MonotonicClock.milliseconds() }
            if let remaining, remaining <= 0 { return .idle }
            arrival.wait(atMostMilliseconds: remaining)
        }
    }

    /// What there is to do at once; nil announces that the thread is about to wait.
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
