/// The work of the writer's thread: batches of writes, each one transaction, and the checkpoints
/// between them.
final class Committer {
    private let configuration: DatabaseConfiguration
    private let limits: WriterLimits
    private let commits: CommitCounter
    private let status: WriterStatus
    private let lock: WriterLock
    private var database: DatabaseState
    /// Pages of the WAL that are not yet copied into the database.
    private var uncopiedPages = 0
    private var checkpointIsBlocked = false

    private enum DatabaseState {
        case open(Connection)
        /// It failed of `cause` and will not be tried before `retry`, in ms of the clock.
        case failed(cause: SQLiteError, retry: Int64)
    }

    private static let retryMilliseconds: Int64 = 250
    private static let blockedCheckpointMilliseconds: Int64 = 1000
    /// From this many times the limit on, commits wait until the WAL is empty.
    private static let walPagesFactor = 4

    /// Opens the database.
    init(
        _ configuration: DatabaseConfiguration,
        limits: WriterLimits,
        commits: CommitCounter,
        status: WriterStatus
    ) throws {
        self.configuration = configuration
        self.limits = limits
        self.commits = commits
        self.status = status
        lock = try WriterLock(configuration)
        database = .open(try lock.withLock { try Connection(configuration, .readWrite) })
    }

    /// Works until the queue is stopped and empty, then closes the database.
    func run(_ queue: WriteQueue) {
        while true {
            switch queue.take(limits.batchedWrites, waitingAtMostMilliseconds: patience) {
            case .jobs(let jobs):
                commit(jobs)
                checkpointUnderLoad()
            case .idle: checkpoint(.passive)
            case .stopped: return close()
            }
        }
    }

    /// How long to wait for writes before the time is used for a checkpoint, if one is due.
    private var patience: Int64? {
        guard case .open = database, uncopiedPages > 0 else { return nil }
        return checkpointIsBlocked
            ? Committer.blockedCheckpointMilliseconds : limits.idleMilliseconds
    }

    /// Makes the jobs' changes durable and answers their callers, each exactly once.
    private func commit(_ jobs: [WriteJob]) {
        let answers: [@Sendable () -> Void]
        do {
            answers = try lock.withLock {
                let connection = try openConnection()
                do {
                    let batch = WriteBatch(connection)
                    let answers = try batch.commit(jobs)
                    uncopiedPages = connection.walPages
                    status.walPages = connection.walPages
                    return answers
                } catch {
                    discardIfBroken(error)
                    throw error
                }
            }
        } catch {
            for job in jobs { job.fail(error) }
            return
        }
        commits.increment()
        for answer in answers { answer() }
    }

    /// The connection, opened anew if it failed and the time for that has come.
    private func openConnection() throws -> Connection {
        switch database {
        case .open(let connection): return connection
        case .failed(let cause, let retry):
            guard Clock.milliseconds >= retry else { throw WriterError.unavailable(cause: cause) }
            return try reopen()
        }
    }

    /// Opens the database and moves the whole WAL into it: after a failed fsync the system may
    /// have forgotten pages of the WAL that it never wrote, so nothing may build on them.
    private func reopen() throws -> Connection {
        do {
            let connection = try Connection(configuration, .readWrite)
            _ = try connection.checkpoint(.truncate)
            database = .open(connection)
            uncopiedPages = 0
            status.walPages = 0
            return connection
        } catch {
            fail(of: error)
            throw WriterError.unavailable(cause: error)
        }
    }

    private func discardIfBroken(_ error: any Error) {
        guard let error = error as? SQLiteError, error.code.endsConnection else { return }
        database = .failed(cause: error, retry: Clock.milliseconds)
    }

    private func fail(of cause: SQLiteError) {
        let retry = Clock.milliseconds &+ Committer.retryMilliseconds
        database = .failed(cause: cause, retry: retry)
    }

    private func checkpointUnderLoad() {
        guard uncopiedPages > 0, status.walPages >= limits.walPages else { return }
        // A passive checkpoint empties the WAL only if no reader happens to be using it, which
        // under load may never be so.
        let (bound, isOverflow) = limits.walPages
            .multipliedReportingOverflow(by: Committer.walPagesFactor)
        checkpoint(!isOverflow && status.walPages >= bound ? .truncate : .passive)
    }

    private func checkpoint(_ kind: Connection.Checkpoint) {
        guard case .open(let connection) = database else { return }
        do {
            let (pages, copied) = try lock.withLock { try connection.checkpoint(kind) }
            status.walPages = pages
            uncopiedPages = max(0, pages - copied)
            checkpointIsBlocked = uncopiedPages > 0
        } catch {
            checkpointIsBlocked = true
            discardIfBroken(error)
        }
    }

    private func close() {
        checkpoint(.truncate)
        // Closing the last connection of all may copy and delete the WAL.
        try? lock.withLock {
            database = .failed(
                cause: SQLiteError(code: .misuse, message: "the database is closed"),
                retry: Int64.max
            )
        }
    }
}
