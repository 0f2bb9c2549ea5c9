import Time

/// A command that changes nothing, and the caller that waits for its result.
final class ReadJob: Sendable {
    typealias Outcome = Result<Rows, PostgreSQLError>

    let command: Command
    /// When the caller gets an error, in ms of the monotonic clock.
    let deadline: Int64
    private let reply: Reply<Outcome>

    init(_ command: Command, deadline: Int64, _ reply: Reply<Outcome>) {
        self.command = command
        self.deadline = deadline
        self.reply = reply
    }

    /// Gives the caller the result.
    func succeed(_ rows: Rows) {
        reply.send(.success(rows))
    }

    /// Gives the caller an error.
    func fail(_ error: PostgreSQLError) {
        reply.send(.failure(error))
    }
}

/// A job and how far it has come.
///
/// Belongs to the thread that performs the job.
final class PendingRead {
    let job: ReadJob
    private var outcome: ReadJob.Outcome?
    /// Whether the command must be sent again, because another one has failed before it.
    private(set) var mustRepeat = false
    private var attempts = 0
    /// How many connections were lost while they had the command.
    var losses = 0

    /// How often the command is sent at most.
    private static let mostAttempts = 4

    init(_ job: ReadJob) {
        self.job = job
    }

    var command: Command { job.command }
    /// When the caller gets an error, in ms of the monotonic clock.
    var deadline: Int64 { job.deadline }

    /// Whether the command may be sent once more.
    var mayRepeat: Bool { attempts < Self.mostAttempts }

    /// Forgets an earlier attempt.
    func begin() {
        attempts += 1
        outcome = nil
        mustRepeat = false
    }

    /// Records the result, unless the preparation has failed.
    func note(_ result: QueryResult) {
        if result.isSuccess { return outcome = .success(Rows(result)) }
        guard outcome == nil else { return }
        if result.isAborted { return mustRepeat = true }
        let failure = result.error(in: command.sql)
        // A pooler has given this client another connection, or the error is that of others.
        let isOfOthers =
            [.unknownStatement, .failedTransaction].contains(failure.state)
            || failure.state?.invitesRepetition == true
        if isOfOthers && mayRepeat {
            mustRepeat = true
        } else {
            outcome = .failure(failure)
        }
    }

    /// Records that the statement could not be prepared.
    func note(failedPreparation error: PostgreSQLError) {
        outcome = .failure(error)
    }

    /// Gives the caller the result, or the error.
    func finish() {
        switch outcome {
        case .success(let rows): job.succeed(rows)
        case .failure(let error): job.fail(error)
        case nil: job.fail(.unexpectedResult("there is no result"))
        }
    }

    /// Gives the caller an error.
    func fail(_ error: PostgreSQLError) {
        job.fail(error)
    }
}
