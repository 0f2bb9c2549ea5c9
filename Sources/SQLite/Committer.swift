import System

/// Runs on the writer's thread: commits batches of writes, and checkpoints between them.
final class Committer {
    let configuration: DatabaseConfiguration
    let files: OpenFiles?
    let limits: WriterLimits
    let commits: CommitCounter
    let status: WriterStatus
    let lock: WriterLock
    private let follower: (any ChangeFollower)?
    var watch: FileWatch
    /// Whether the file system is copy-on-write.
    let isCopyOnWrite: Bool
    /// How long the thread has been idle since the last job or checkpoint, in ms.
    private var idled: Int64 = 0
    private(set) var database: DatabaseState
    /// The earliest time of the next checkpoint after one that readers kept from completing, in ms.
    var nextCheckpoint: Int64 = 0
    /// Copies the WAL beside this thread; nil until that is first needed.
    var checkpointThread: CheckpointThread?
    /// The number of copies since the last checkpoint.
    var copies = 0

    enum DatabaseState {
        case open(Connection)
        /// The database failed with `cause`, and is not reopened before `retry`, in ms of the
        /// clock.
        case failed(cause: SQLiteError, retry: Int64)
    }

    private static let retryMilliseconds: Int64 = 250
    /// How long writes may wait for the readers to let the WAL restart.
    ///
    /// A reader on an event loop ends its transaction every few ms.
    static let restartMilliseconds: Int32 = 50
    /// How long writes may wait for them on a full disk, where they would be rejected otherwise.
    private static let fullDiskMilliseconds: Int32 = 1_000
    /// The pages by which the WAL's file may exceed the limit, because a batch can be that long.
    static let walSlackPages = 1000
    /// How often the files are checked while there are no writes.
    private static let watchMilliseconds: Int64 = 500

    /// Opens the database.
    init(
        _ configuration: DatabaseConfiguration,
        limits: WriterLimits,
        commits: CommitCounter,
        status: WriterStatus,
        follower: (any ChangeFollower)?
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
        self.follower = follower
        connection.follower = follower
        database = .open(connection)
    }

    /// Runs until the queue is stopped and empty, then closes the database.
    func run(_ queue: JobQueue<WriteJob>) {
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

    /// Checks the files, and closes the connection if its index was truncated.
    func lookAtFiles() {
        do throws(SQLiteError) {
            try watch.check()
        } catch {
            // After any other error, the next operation fails again.
            if case .open(let connection) = database, watch.isIndexCut {
                discardIfBroken(error, connection)
            }
        }
    }

    private func checkFiles() throws(FilesLost) {
        do throws(SQLiteError) { try watch.checkFolder() } catch { throw FilesLost(error: error) }
    }

    /// How long to wait for writes before a due checkpoint or a retry of opening the database.
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
            // After a failed sync, readers may miss changes until the WAL is copied again. If this
            // fails, the next write reports it.
            _ = try? lock.withLock { try openConnection() }
        }
    }

    /// Makes the jobs' changes durable, and calls back each caller exactly once.
    private func commit(_ jobs: [WriteJob]) {
        let began = MonotonicClock.microseconds()
        let completions: [@Sendable () -> Void]
        do {
            completions = try lock.withLock { try performAndCommit(jobs) }
        } catch {
            status.noteFailure(writes: jobs.count, of: error)
            for job in jobs { job.fail(error) }
            return
        }
        let microseconds = MonotonicClock.microseconds() - began
        status.noteCommit(writes: jobs.count, microseconds: microseconds)
        commits.increment()
        for completion in completions { completion() }
    }

    private func performAndCommit(_ jobs: [WriteJob]) throws -> [@Sendable () -> Void] {
        let connection = try openConnection()
        do {
            // Checked here as well, because a write that won't be acknowledged shouldn't be made.
            try checkFiles()
            let completions = try commit(jobs, on: connection)
            status.walPages = connection.wal.pages
            if connection.isDetached {
                throw SQLiteError(
                    code: .walIndexFull,
                    message: "the disk has no room for the index of the WAL"
                )
            }
            do throws(FilesLost) { try checkFiles() } catch {
                // Readers of the lost file still see the commit.
                commits.increment()
                throw error
            }
            return completions
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

    /// Commits the jobs, and on a full disk retries after restarting or truncating the WAL.
    ///
    /// A WAL that restarts overwrites its old content, which needs no space on most file systems.
    /// On copy-on-write file systems, only a shorter file frees space (`CopyOnWrite`).
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

    /// Whether truncating the WAL can free the space that is missing.
    ///
    /// A short WAL is kept. Otherwise inserts would use its space, and later changes would find
    /// none. A longer one is not needed for changes, which also need space in the database.
    private var isCutUseful: Bool {
        walFilePages > Committer.shortWALPages || isCopyOnWrite
    }

    /// The pages of a WAL that is kept on a full disk.
    private static let shortWALPages = 64

    /// Copies the WAL into the database, so that the next commit overwrites it.
    ///
    /// Returns false if that is impossible now, and throws if the connection must be closed.
    private func beginWALAnew(
        _ kind: Connection.Checkpoint,
        _ connection: Connection
    ) throws(SQLiteError) -> Bool {
        try finishCopying(connection)
        // Otherwise a reader that expects no writes would keep its transaction open.
        commits.increment()
        try connection.setPatience(milliseconds: Committer.fullDiskMilliseconds)
        defer {
            // This fails only for a closed connection.
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

    /// Returns the connection, reopened if it failed and the retry is due.
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

    /// Reopens the database, which must still exist, and copies the whole WAL into it.
    ///
    /// After a failed fsync, the system may have dropped pages of the WAL and of the database that
    /// it never wrote. So nothing may build on the WAL, and every page of it must be copied again.
    private func reopen() throws -> Connection {
        stopCheckpointThread()
        do throws(SQLiteError) {
            if try DatabaseFile.isEmpty(configuration.path) {
                throw SQLiteError(code: .cannotOpen, message: "the file no longer exists")
            }
            try watch.checkPlaces()
            let connection = try Connection(configuration, .readWrite)
            // Callers get an error soon, even if a reader takes long.
            try connection.setPatience(milliseconds: Committer.restartMilliseconds)
            // Otherwise a reader that expects no writes would keep its transaction open, and the
            // WAL could not be truncated while that reader is busy.
            commits.increment()
            do throws(SQLiteError) {
                try connection.forgetCopiedPages()
                try connection.checkpoint(.truncate)
            } catch {
                try connection.keepWAL()
                throw error
            }
            try connection.setPatience(milliseconds: configuration.busyTimeoutMilliseconds)
            follower?.didReopen()
            connection.follower = follower
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

    /// Closes the database, for the next batch to reopen, if this error requires it.
    func discardIfBroken(_ error: any Error, _ connection: Connection) {
        guard let error = error as? SQLiteError,
            error.code.endsConnection || connection.isInTransaction
        else { return }
        // Closing the last connection would checkpoint the WAL without the recovery that must come
        // first. This fails only for a closed connection.
        try? connection.keepWAL()
        database = .failed(cause: error, retry: MonotonicClock.milliseconds())
    }

    private func close() {
        checkpoint(.truncate)
        stopCheckpointThread()
        do {
            // If this is the last connection of all, closing it may copy and delete the WAL.
            try lock.withLock { closeConnection(keepsWAL: status.filesProblem != nil) }
        } catch {
            closeConnection(keepsWAL: true)
        }
    }

    /// Closes the database permanently.
    private func closeConnection(keepsWAL: Bool) {
        let isOpenElsewhere = lock.letGo()
        if case .open(let connection) = database, keepsWAL || isOpenElsewhere {
            // Closing the last connection would delete the WAL by its name. That file may now
            // belong to another database, or to a process whose connections have failed. `keepWAL`
            // fails only for a closed connection.
            try? connection.keepWAL()
        }
        database = .failed(
            cause: SQLiteError(code: .misuse, message: "the database is closed"),
            retry: Int64.max
        )
    }
}

/// The error for files that are not those that were opened, before or after a commit.
private struct FilesLost: Error {
    let error: SQLiteError
}
