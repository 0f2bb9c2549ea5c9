import Metrics

/// The work of the writer's thread: batches of writes, each one transaction, and the checkpoints
/// between them.
final class Committer {
    private let configuration: DatabaseConfiguration
    private let files: OpenFiles?
    private let limits: WriterLimits
    private let commits: CommitCounter
    private let status: WriterStatus
    private let lock: WriterLock
    private var watch: FileWatch
    /// Whether the filesystem never writes over anything.
    private let isCopyOnWrite: Bool
    /// How long there was nothing to do, in ms; at most until something was done.
    private var idled: Int64 = 0
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
    private static let walPagesFactor = 2
    /// What the WAL's file may be longer than the limit, because a batch takes it beyond.
    private static let walSlackPages = 1000
    /// How often the files are looked at while nothing is written.
    private static let watchMilliseconds: Int64 = 500

    /// Opens the database.
    init(
        _ configuration: DatabaseConfiguration,
        limits: WriterLimits,
        commits: CommitCounter,
        status: WriterStatus
    ) throws {
        let lock = try WriterLock(configuration)
        let connection = try lock.withLock { try lock.openDatabase(configuration) }
        var configuration = configuration
        configuration.files = connection.files
        self.configuration = configuration
        self.limits = limits
        self.commits = commits
        self.status = status
        self.lock = lock
        files = connection.files
        watch = FileWatch(
            connection.files,
            at: configuration.path,
            lock,
            status,
            quietSeconds: limits.quietSeconds
        )
        isCopyOnWrite = connection.files.map { CopyOnWrite.applies(to: $0.path) } ?? false
        status.files = connection.files
        database = .open(connection)
    }

    /// Works until the queue is stopped and empty, then closes the database.
    func run(_ queue: WriteQueue) {
        while true {
            let remaining = patience.map { max(0, $0 &- idled) } ?? Int64.max
            let wait = min(remaining, Committer.watchMilliseconds)
            switch queue.take(limits.batchedWrites, waitingAtMostMilliseconds: wait) {
            case .jobs(let jobs):
                idled = 0
                commit(jobs)
                emptyLostWAL()
                checkpointUnderLoad()
            case .idle:
                idled &+= wait
                lookAtFiles()
                emptyLostWAL()
                guard remaining <= wait else { continue }
                idled = 0
                recoverOrCheckpoint()
            case .stopped: return close()
            }
        }
    }

    /// Copies the WAL into the database that is open and empties it, if the files are lost.
    ///
    /// Under its name it may be the WAL of another database by now, which it would damage. If it
    /// was deleted or the database was moved, this is the only way to keep what it holds.
    private func emptyLostWAL() {
        guard status.filesProblem != nil, case .open(let connection) = database,
            connection.wal.pages > 0 || connection.wal.hasUncopiedPages,
            MonotonicClock.milliseconds() >= nextCheckpoint
        else { return }
        // A reader that believes that there are no writes would keep its transaction open.
        commits.increment()
        checkpoint(.truncate, patience: Committer.restartMilliseconds)
    }

    /// Notes what has become of the files; gives the connection up if its index was cut off.
    private func lookAtFiles() {
        do throws(SQLiteError) {
            try watch.check()
        } catch {
            // Of all else what comes next fails again.
            if case .open(let connection) = database, watch.isIndexCut {
                discardIfBroken(error, connection)
            }
        }
    }

    private func checkFiles() throws(FilesLost) {
        do throws(SQLiteError) {
            try watch.checkFolder()
        } catch {
            throw FilesLost(error: error)
        }
    }

    /// How long to wait for writes before the time is used for a checkpoint, if one is due, or to
    /// open a database that has failed.
    private var patience: Int64? {
        switch database {
        case .open(let connection) where connection.wal.hasUncopiedPages || isWALTooLong:
            max(limits.idleMilliseconds, nextCheckpoint &- MonotonicClock.milliseconds())
        case .open: nil
        case .failed(_, let retry): max(0, retry &- MonotonicClock.milliseconds())
        }
    }

    private func recoverOrCheckpoint() {
        switch database {
        case .open:
            checkpoint(.passive)
            guard isWALTooLong, nextCheckpoint == 0 else { return }
            checkpoint(.truncate, patience: Committer.restartMilliseconds)
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
            status.noteFailure(writes: jobs.count, of: error)
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
            // Not only below: what is not acknowledged need not be written either.
            try checkFiles()
            let answers = try commit(jobs, on: connection)
            status.walPages = connection.wal.pages
            if connection.isDetached {
                throw SQLiteError(
                    code: .walIndexFull,
                    message: "the disk has no room for the index of the WAL"
                )
            }
            do throws(FilesLost) {
                try checkFiles()
            } catch {
                // Readers of the lost file see it all the same.
                commits.increment()
                throw error
            }
            return answers
        } catch let lost as FilesLost {
            // Keep the connection: if the file is put back, writes can continue. A connection
            // whose index was truncated is useless.
            if watch.isIndexCut { discardIfBroken(lost.error, connection) }
            throw lost.error
        } catch {
            discardIfBroken(error, connection)
            if let error = error as? SQLiteError { throw watch.cause(of: error) }
            throw error
        }
    }

    /// Commits the jobs; should the disk be full, once more after the WAL has begun anew, and where
    /// that helps a last time after it was cut.
    ///
    /// A WAL that begins anew writes over what it holds, which needs no room on most filesystems.
    /// On those that never write over anything only a shorter file is room (`CopyOnWrite`).
    private func commit(
        _ jobs: [WriteJob],
        on connection: Connection
    ) throws -> [@Sendable () -> Void] {
        for kind in [Connection.Checkpoint.restart, .truncate] {
            do {
                return try WriteBatch(connection).commit(jobs)
            } catch let error as SQLiteError where error.code.primary == .full {
                guard kind == .restart || isCutUseful, !connection.isInTransaction,
                    try beginWALAnew(kind, connection)
                else { throw error }
            }
        }
        return try WriteBatch(connection).commit(jobs)
    }

    /// Whether a shorter WAL gives what the disk has no room for.
    ///
    /// A short one is kept, or else inserts would take its room, and later changes find none.
    private var isCutUseful: Bool {
        walFilePages > Committer.walSlackPages || isCopyOnWrite
    }

    /// Copies the WAL into the database, so that the next commit writes over it.
    ///
    /// Returns false if that can't be done now, and throws if the connection must be given up.
    private func beginWALAnew(
        _ kind: Connection.Checkpoint,
        _ connection: Connection
    ) throws(SQLiteError) -> Bool {
        // A reader that believes that there are no writes would keep its transaction open.
        commits.increment()
        try connection.setPatience(milliseconds: Committer.restartMilliseconds)
        defer {
            // It fails only for a closed connection.
            try? connection.setPatience(milliseconds: configuration.busyTimeoutMilliseconds)
        }
        do throws(SQLiteError) {
            try connection.checkpoint(kind)
        } catch {
            if error.code.endsConnection { throw error }
            return false
        }
        status.walPages = connection.wal.pages
        status.noteCheckpoint()
        return true
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
            try watch.checkPlaces()
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
            lookAtFiles()
            return connection
        } catch {
            let error = watch.cause(of: error)
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

    /// Whether the WAL's file takes more of the disk than it should when nothing is written, as it
    /// does after a reader that took long.
    private var isWALTooLong: Bool {
        status.filesProblem == nil && walFilePages > limits.walPages &+ Committer.walSlackPages
    }

    /// How many pages of the disk the WAL's file takes.
    private var walFilePages: Int {
        let bytes = files.flatMap { DatabaseFile.size($0.path + "-wal") } ?? 0
        return bytes / Connection.pageBytes
    }

    private func checkpointUnderLoad() {
        guard case .open(let connection) = database else { return }
        let uncopied = connection.wal.pages - connection.wal.copiedPages
        if isCopyOnWrite, let files, uncopied > 0,
            CopyOnWrite.isShort(files.path, ofRoomFor: uncopied)
        {
            return checkpoint(.restart, patience: Committer.restartMilliseconds)
        }
        guard uncopied >= limits.walPages, MonotonicClock.milliseconds() >= nextCheckpoint else {
            return
        }
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
                lookAtFiles()
                try watch.checkBeforeCheckpoint()
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
            if status.filesProblem == nil { discardIfBroken(error, connection) }
        }
        nextCheckpoint =
            isComplete
            ? 0 : MonotonicClock.milliseconds() &+ Committer.blockedCheckpointMilliseconds
    }

    private func close() {
        checkpoint(.truncate)
        do {
            // Closing the last connection of all may copy and delete the WAL.
            try lock.withLock { closeConnection(keepsWAL: status.filesProblem != nil) }
        } catch {
            closeConnection(keepsWAL: true)
        }
    }

    /// Closes the database for good.
    private func closeConnection(keepsWAL: Bool) {
        let isOpenElsewhere = lock.letGo()
        if case .open(let connection) = database, keepsWAL || isOpenElsewhere {
            // To close the last connection would delete the WAL by its name, which may be another
            // database's by now, or that of a process whose connections have failed. To keep it
            // fails only for a closed connection.
            try? connection.keepWAL()
        }
        database = .failed(
            cause: SQLiteError(code: .misuse, message: "the database is closed"),
            retry: Int64.max
        )
    }
}

/// The files are not what was opened, before or after a commit.
private struct FilesLost: Error {
    let error: SQLiteError
}
