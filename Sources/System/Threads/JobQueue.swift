/// A queue of jobs that wait for the threads that perform them, in the order of arrival.
package final class JobQueue<Job: Sendable>: Sendable {
    /// The reason why a job was rejected.
    package enum Rejection: Error {
        /// Too many jobs are waiting.
        case queueFull
        case stopped
    }

    /// A thread's next work.
    package enum Work {
        case jobs([Job])
        /// No job arrived in the given time.
        case idle
        /// The queue is empty and stopped.
        case stopped
    }

    private struct State {
        /// The jobs, of which those from `first` on are waiting.
        var jobs: [Job] = []
        var first = 0
        /// The threads that wait for a job, and those of them that will be woken.
        var idleThreads = 0
        var signals = 0
        var totalRejections: UInt64 = 0
        var isStopping = false

        /// The number of taken jobs after which the others move to the front.
        static var mostTaken: Int { 4096 }

        /// Removes and returns the first jobs.
        mutating func take(_ limit: Int, _ byteLimit: Int, _ size: (Job) -> Int) -> [Job] {
            var bytes = 0
            var end = first
            while end < jobs.count, end - first < limit, bytes < byteLimit {
                bytes += size(jobs[end])
                end += 1
            }
            let taken = Array(jobs[first..<end])
            first = end
            if first == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                first = 0
            } else if first >= Self.mostTaken {
                jobs.removeFirst(first)
                first = 0
            }
            return taken
        }
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let arrival = Semaphore()

    /// Creates a queue with space for `capacity` jobs besides one for each idle thread.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of waiting jobs.
    package var count: Int { state.withLock { $0.jobs.count - $0.first } }

    /// The number of jobs that were rejected because the queue was full.
    package var totalRejections: UInt64 { state.withLock { $0.totalRejections } }

    /// Appends a job, or returns why it is rejected.
    package func append(_ job: Job) -> Rejection? {
        let (rejection, mustWake) = state.withLock { state -> (Rejection?, Bool) in
            if state.isStopping { return (.stopped, false) }
            guard state.jobs.count - state.first < capacity + state.idleThreads else {
                state.totalRejections += 1
                return (.queueFull, false)
            }
            state.jobs.append(job)
            guard state.signals < state.idleThreads else { return (nil, false) }
            state.signals += 1
            return (nil, true)
        }
        if mustWake { arrival.signal() }
        return rejection
    }

    /// Rejects all further jobs.
    package func stop() {
        let unaware = state.withLock { state in
            state.isStopping = true
            defer { state.signals = state.idleThreads }
            return state.idleThreads - state.signals
        }
        for _ in 0..<unaware { arrival.signal() }
    }

    /// Removes and returns jobs, and waits if there are none.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of jobs.
    ///   - milliseconds: The longest time to wait, without a limit if nil. It may only be given if
    ///     the queue has a single thread.
    ///   - byteLimit: The size of jobs after which no further job is taken.
    ///   - size: Returns the size of a job.
    /// - Returns: The jobs, or why there are none.
    package func take(
        _ limit: Int,
        waitingAtMostMilliseconds milliseconds: Int64? = nil,
        byteLimit: Int = .max,
        size: (Job) -> Int = { _ in 0 }
    ) -> Work {
        let deadline = milliseconds.map { MonotonicClock.milliseconds() &+ $0 }
        while true {
            let work = state.withLock { state -> Work? in
                let jobs = state.take(limit, byteLimit, size)
                if !jobs.isEmpty { return .jobs(jobs) }
                if state.isStopping { return .stopped }
                state.idleThreads += 1
                return nil
            }
            if let work { return work }
            let remaining = deadline.map { max(0, $0 &- MonotonicClock.milliseconds()) }
            arrival.wait(atMostMilliseconds: remaining)
            let hasJobs = state.withLock { state in
                state.idleThreads -= 1
                state.signals = max(0, state.signals - 1)
                return state.first < state.jobs.count || state.isStopping
            }
            if let deadline, !hasJobs, MonotonicClock.milliseconds() >= deadline { return .idle }
        }
    }
}
