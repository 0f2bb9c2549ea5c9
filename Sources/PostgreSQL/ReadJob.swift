import Time

/// Commands that are sent together, and the caller that waits for their results.
final class ReadJob: Sendable {
    typealias Outcome = Result<[Rows], PostgreSQLError>

    /// The commands, with those that begin and end a transaction.
    let commands: [Command]
    /// Whether all commands see the same moment.
    let isSnapshot: Bool
    /// When the caller gets an error, in ms of the monotonic clock.
    let deadline: Int64
    private let reply: Reply<Outcome>

    init(
        _ commands: [Command],
        isSnapshot: Bool,
        deadline: Int64,
        _ reply: Reply<Outcome>
    ) {
        let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self.commands = isSnapshot ? [begin] + commands + [Command("COMMIT")] : commands
        self.isSnapshot = isSnapshot
        self.deadline = deadline
        self.reply = reply
    }

    /// Gives the caller the results of all commands.
    func succeed(_ results: [Rows]) {
        let results = isSnapshot ? Array(results.dropFirst().dropLast()) : results
        reply.send(.success(results))
    }

    /// Gives the caller an error.
    func fail(_ error: PostgreSQLError) {
        reply.send(.failure(error))
    }
}

/// A job with its results so far.
///
/// Belongs to the thread that performs the job.
final class PendingRead {
    let job: ReadJob
    private var results: [Rows] = []
    private var error: PostgreSQLError?
    /// Whether the commands must be sent again, because another one has failed before them.
    private(set) var mustRepeat = false
    private var attempts = 0
    /// How many connections were lost while they had the commands.
    var losses = 0

    /// How often the commands are sent at most.
    private static let mostAttempts = 4

    init(_ job: ReadJob) {
        self.job = job
    }

    /// The job's commands.
    var commands: [Command] { job.commands }
    /// Whether all commands see the same moment.
    var isSnapshot: Bool { job.isSnapshot }
    /// When the caller gets an error, in ms of the monotonic clock.
    var deadline: Int64 { job.deadline }

    /// Whether the commands may be sent once more.
    var mayRepeat: Bool { attempts < Self.mostAttempts }

    /// Forgets the results of an earlier attempt.
    func begin() {
        attempts += 1
        results.removeAll(keepingCapacity: true)
        error = nil
        mustRepeat = false
    }

    /// Records the result of the next command.
    func note(_ result: QueryResult, of command: Command) {
        if result.isSuccess { return results.append(Rows(result)) }
        guard error == nil, !mustRepeat else { return }
        if result.isAborted { return mustRepeat = true }
        let failure = result.error(in: command.sql)
        // A pooler has given this client another connection, or the error is that of others.
        let isOfOthers =
            [.unknownStatement, .failedTransaction].contains(failure.state)
            || failure.state?.invitesRepetition == true
        if isOfOthers && mayRepeat {
            mustRepeat = true
        } else {
            error = failure
        }
    }

    /// Records that a statement could not be prepared.
    func note(failedPreparation error: PostgreSQLError) {
        if self.error == nil, !mustRepeat { self.error = error }
    }

    /// Whether one of the commands has failed.
    var hasFailed: Bool { error != nil }

    /// Gives the caller the results, or the error.
    func finish() {
        if let error { job.fail(error) } else { job.succeed(results) }
    }

    /// Gives the caller an error.
    func fail(_ error: PostgreSQLError) {
        job.fail(error)
    }
}
