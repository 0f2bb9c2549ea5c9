import Logging
import System
import Time

/// Commands that are performed in one transaction, and the caller that waits for their results.
///
/// Every path that removes it from the queue resumes the caller once.
final class WriteJob: Sendable {
    typealias Outcome = Result<[Rows], PostgreSQLError>

    let commands: [Command]
    let byteCount: Int
    /// When it is too late to begin, in ms of the monotonic clock.
    let deadline: Int64
    private let watch: StageWatch?
    private let reply: Reply<Outcome>

    init(
        _ commands: [Command],
        deadline: Int64,
        watch: StageWatch?,
        _ reply: Reply<Outcome>
    ) {
        self.commands = commands
        self.deadline = deadline
        self.watch = watch
        byteCount = commands.reduce(0) { $0 + $1.byteCount }
        self.reply = reply
    }

    /// Gives the caller the outcome.
    func finish(_ outcome: Outcome) {
        watch?.finish()
        reply.send(outcome)
    }
}

/// The writes that wait for the writer's thread.
final class WriteQueue: Sendable {
    private struct State {
        var jobs: [WriteJob] = []
        var first = 0
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

    /// The number of waiting jobs.
    var count: Int {
        state.withLock { $0.jobs.count - $0.first }
    }

    /// Appends a job, or fails it.
    func append(_ job: WriteJob) {
        let (error, mustWake) = state.withLock { state -> (PostgreSQLError?, Bool) in
            if state.isStopping { return (.stopped, false) }
            if state.jobs.count - state.first >= capacity { return (Self.full, false) }
            state.jobs.append(job)
            defer { state.isWaiting = false }
            return (nil, state.isWaiting)
        }
        if mustWake { arrival.signal() }
        if let error { job.finish(.failure(error)) }
    }

    private static let full = PostgreSQLError(.overloaded, message: "too many writes wait")

    /// Rejects all further jobs.
    func stop() {
        state.withLock { $0.isStopping = true }
        arrival.signal()
    }

    /// Removes and returns jobs for a batch, and waits if there are none; nil at the end.
    ///
    /// It returns at most `limit`, and no job after those with as many bytes as `byteLimit`.
    func take(_ limit: Int, byteLimit: Int) -> [WriteJob]? {
        while true {
            let (jobs, isStopping) = state.withLock { state in
                let jobs = Self.take(limit, byteLimit, from: &state)
                state.isWaiting = jobs.isEmpty
                return (jobs, state.isStopping)
            }
            if !jobs.isEmpty { return jobs }
            if isStopping { return nil }
            arrival.wait(atMostMilliseconds: nil)
        }
    }

    private static func take(_ limit: Int, _ byteLimit: Int, from state: inout State) -> [WriteJob]
    {
        var bytes = 0
        var end = state.first
        while end < state.jobs.count, end - state.first < limit, bytes < byteLimit {
            bytes += state.jobs[end].byteCount
            end += 1
        }
        let jobs = Array(state.jobs[state.first..<end])
        state.first = end
        if end == state.jobs.count {
            state.jobs.removeAll(keepingCapacity: true)
            state.first = 0
        } else if end >= 4096 {
            state.jobs.removeFirst(end)
            state.first = 0
        }
        return jobs
    }
}
