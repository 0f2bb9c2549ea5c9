import Time

/// A read-only command, and the caller that waits for its result.
final class ReadJob: Sendable {
    typealias Outcome = Result<Rows, PostgreSQLError>

    let command: Command
    /// When the caller gets an error, in ms of the monotonic clock.
    let deadline: Int64
    private let receiver: Receiver

    /// Where the outcome goes.
    private enum Receiver {
        case caller(@Sendable (Outcome) -> Void)
        /// The jobs whose numbers are looked up together.
        case lookups([ReadJob])
        /// The jobs with the same command.
        case sharers([ReadJob])
    }

    init(_ command: Command, deadline: Int64, _ completion: @escaping @Sendable (Outcome) -> Void) {
        self.command = command
        self.deadline = deadline
        receiver = .caller(completion)
    }

    /// Creates a job that performs several with one statement; nil if there are none.
    ///
    /// Their commands must be ones that can be read with each other.
    init?(together jobs: [ReadJob]) {
        guard let first = jobs.first?.command else { return nil }
        deadline = jobs.reduce(Int64.max) { min($0, $1.deadline) }
        if let lookup = first.lookup {
            let numbers = jobs.compactMap(\.command.lookup?.number)
            command = Command(lookup.sql, [.bigints(numbers)])
            receiver = .lookups(jobs)
        } else {
            command = first
            receiver = .sharers(jobs)
        }
    }

    /// Returns the rows to the caller.
    func succeed(_ rows: Rows) {
        switch receiver {
        case .caller(let completion): completion(.success(rows))
        case .sharers(let jobs): for job in jobs { job.succeed(rows) }
        case .lookups(let jobs):
            do throws(PostgreSQLError) {
                let positions = try rows.positionsByNumber()
                for job in jobs {
                    let position = job.command.lookup.flatMap { positions[$0.number] }
                    job.succeed(rows.row(position))
                }
            } catch {
                fail(error)
            }
        }
    }

    /// Gives the caller an error.
    func fail(_ error: PostgreSQLError) {
        switch receiver {
        case .caller(let completion): completion(.failure(error))
        case .lookups(let jobs), .sharers(let jobs): for job in jobs { job.fail(error) }
        }
    }
}

/// A job and the state of its attempts.
///
/// Belongs to the thread that performs the job.
final class PendingRead {
    let job: ReadJob
    private var outcome: ReadJob.Outcome?
    /// Whether the command must be sent again because an earlier command failed.
    private(set) var mustRepeat = false
    private var attempts = 0
    /// The number of connections that were lost while running the command.
    var losses = 0

    /// The maximum number of times to send the command.
    private static let mostAttempts = 4

    init(_ job: ReadJob) {
        self.job = job
    }

    var command: Command { job.command }
    /// When the caller gets an error, in ms of the monotonic clock.
    var deadline: Int64 { job.deadline }

    /// Whether the command may be sent again.
    var mayRepeat: Bool { attempts < Self.mostAttempts }

    /// Begins a new attempt, and discards the outcome of the previous one.
    func begin() {
        attempts += 1
        outcome = nil
        mustRepeat = false
    }

    /// Records the result, unless preparing the statement has failed.
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

    /// Returns the result or the error to the caller.
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
