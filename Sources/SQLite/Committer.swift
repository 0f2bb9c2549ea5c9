import Metrics

/// The work of the writer's thread: batches of writes, each one transaction, and the checkpoints
/// between them.
final class Committer {
    private let configuration: DatabaseConfiguration
    private let limits: WriterLimits
    private let commits: CommitCounter
    private let status: WriterStatus
    private let lock: WriterLock
    private var database: DatabaseState
    /// When the next checkpoint may be tried after readers have kept one from being complete, in
    /// ms of the clock.
    private var nextCheckpoint: Int64 = 0

    private enum DatabaseState {
        case open(Connection)
        /// It failed of `cause` and will not be tried before `retry`, in ms of the clock.
        case failed(cause: SQLiteError, retry: Int64)
    }

    private static let retryMilliseconds: Int64 = 250
    private static let blockedCheckpointMilliseconds: Int64 = 1000
    /// How long the writes may wait for the readers so that the WAL can begin anew.
    ///
    /// A reader on an event loop ends its transaction every few ms.
    private static let restartMilliseconds: Int32 = 50
    /// From this many times the limit on, the WAL must begin anew.
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
            case .idle: recoverOrCheckpoint()
            case .stopped: return close()
            }
        }
    }

    /// How long to wait for writes before the time is used for a checkpoint, if one is due, or to
    /// open a database that has failed.
    private var patience: Int64? {
        switch database {
        case .open(let connection) where connection.wal.hasUncopiedPages:
            max(limits.idleMilliseconds, nextCheckpoint &- MonotonicClock.milliseconds())
        case .open: nil
        case .failed(_, let retry): max(0, retry &- MonotonicClock.milliseconds())
        }
    }

    private func recoverOrCheckpoint() {
        switch database {
        case .open: checkpoint(.passive)
        case .failed:
            // Readers may miss what a failed sync has lost of the database until it is copied from
            // the WAL again. What it fails of, the next write tells.
            _ = try? lock.withLock { try openConnection() }
        }
    }

    /// Makes the jobs' changes durable and answers their callers, each exactly once.
    private func commit(_ jobs: [WriteJob]) {
        let began = MonotonicClock.microseconds()
        let answers: [@Sendable () -> Void]
        do {
            answers = try lock.withLock { try performAndCommit(jobs) }
        } catch {
            status.noteFailure(writes: jobs.count)
            for job in jobs { job.fail(error) }
            return
        }
        let microseconds = MonotonicClock.microseconds() - began
        status.noteCommit(writes: jobs.count, microseconds: microseconds)
        commits.increment()
        for answer in answers { answer() }
    }

    private func performAndCommit(_ jobs: [WriteJob]) throws -> [@Sendable () -> Void] {
        let connection = try openConnection()
        do {
            let answers = try WriteBatch(connection).commit(jobs)
            status.walPages = connection.wal.pages
            return answers
        } catch {
            discardIfBroken(error, connection)
            throw error
        }
    }

    /// The connection, opened anew if it failed and the time for that has come.
    private func openConnection() throws -> Connection {
        switch database {
        case .open(let connection): return connection
        case .failed(let cause, let retry):
            guard MonotonicClock.milliseconds() >= retry else {
                throw WriterError.unavailable(cause: cause)
            }
            return try reopen()
        }
    }

    /// Opens the database, which must still be there, and moves the whole WAL into it.
    ///
    /// After a failed fsync the system may have forgotten pages of the WAL that it never wrote, so
    /// nothing may build on them; and pages of the database, so that all of them are copied again.
    private func reopen() throws -> Connection {
        do throws(SQLiteError) {
            if try DatabaseFile.isEmpty(configuration.path) {
                throw SQLiteError(code: .cannotOpen, message: "the database is gone")
            }
            let connection = try Connection(configuration, .readWrite)
            // Whoever waits is told after a moment, also beside a reader that takes long.
            try connection.setPatience(milliseconds: Committer.restartMilliseconds)
            // A reader that believes that there are no writes would keep its transaction open, and
            // the WAL from being emptied, for as long as it has something to do.
            commits.increment()
            do throws(SQLiteError) {
                try connection.forgetCopiedPages()
                try connection.checkpoint(.truncate)
            } catch {
                try connection.keepWAL()
                throw error
            }
            try connection.setPatience(milliseconds: configuration.busyTimeoutMilliseconds)
            database = .open(connection)
            status.walPages = 0
            return connection
        } catch {
            let retry = MonotonicClock.milliseconds() &+ Committer.retryMilliseconds
            database = .failed(cause: error, retry: retry)
            throw WriterError.unavailable(cause: error)
        }
    }

    /// Closes the database, to be opened anew by the next batch, if this error calls for it.
    private func discardIfBroken(_ error: any Error, _ connection: Connection) {
        guard let error = error as? SQLiteError,
            error.code.endsConnection || connection.isInTransaction
        else { return }
        // To close the last connection would copy the WAL without what has to come before that. It
        // fails only for a closed connection.
        try? connection.keepWAL()
        database = .failed(cause: error, retry: MonotonicClock.milliseconds())
    }

    private func checkpointUnderLoad() {
        guard case .open(let connection) = database,
            connection.wal.pages - connection.wal.copiedPages >= limits.walPages,
            MonotonicClock.milliseconds() >= nextCheckpoint
        else { return }
        // A passive checkpoint lets the WAL begin anew if no reader happens to use it at the next
        // commit; and to write over an old WAL takes half the time of making the file longer.
        let isTooLong = connection.wal.pages / Committer.walPagesFactor >= limits.walPages
        checkpoint(isTooLong ? .restart : .passive, patience: Committer.restartMilliseconds)
    }

    private func checkpoint(_ kind: Connection.Checkpoint, patience: Int32? = nil) {
        guard case .open(let connection) = database else { return }
        var isComplete = false
        do {
            try lock.withLock {
                try connection.setPatience(
                    milliseconds: patience ?? configuration.busyTimeoutMilliseconds
                )
                defer {
                    // It fails only for a closed connection.
                    try? connection.setPatience(
                        milliseconds: configuration.busyTimeoutMilliseconds
                    )
                }
                try connection.checkpoint(kind)
            }
            status.walPages = connection.wal.pages
            status.noteCheckpoint()
            isComplete = !connection.wal.hasUncopiedPages
        } catch {
            discardIfBroken(error, connection)
        }
        nextCheckpoint =
            isComplete
            ? 0 : MonotonicClock.milliseconds() &+ Committer.blockedCheckpointMilliseconds
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
