import System

/// A transaction with the writes of several callers.
struct WriteBatch {
    private let connection: Connection

    /// Creates a batch on a connection without an open transaction.
    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Performs the jobs and commits; returns the closures that call back the callers.
    ///
    /// Usually all jobs succeed, and none needs a savepoint, which would copy every page that the
    /// job changes. If one throws, all jobs are performed again with a savepoint each, so that only
    /// that one is undone.
    ///
    /// - Throws: The error of the transaction; nothing is changed then.
    func commit(_ jobs: [WriteJob]) throws -> [@Sendable () -> Void] {
        do {
            return try inTransaction { try jobs.map(performBare) }
        } catch is JobFailure {
            return try inTransaction { try jobs.map(performApart) }
        }
    }

    private func inTransaction(
        _ perform: () throws -> [@Sendable () -> Void]
    ) throws -> [@Sendable () -> Void] {
        try connection.run("BEGIN IMMEDIATE")
        connection.addsRecords = false
        let before = connection.version
        let commitCount = connection.wal.commitCount
        connection.follower?.willChange(before, commits: 1)
        do {
            let completions = try perform()
            connection.follower?.willCommit(connection)
            try connection.reserveSpace()
            try connection.run("COMMIT")
            announce(before, commits: connection.wal.commitCount &- commitCount)
            return completions
        } catch {
            // Some errors have already ended the transaction. If this fails, so does the next
            // BEGIN.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            connection.follower?.undoChanges(keeping: 0)
            announce(before, commits: 0)
            throw error
        }
    }

    /// Reports the version after the transaction, which made this number of commits, to the
    /// follower.
    ///
    /// A program without the writer's lock can commit as soon as the transaction has ended. The
    /// count of commits shows that. SQLite changes the index last, so if the count is the same
    /// after a failed COMMIT, nothing was committed.
    private func announce(_ before: DatabaseVersion?, commits: UInt32) {
        guard let follower = connection.follower else { return }
        if let before, let after = connection.version,
            after.commitCount == before.commitCount &+ commits
        {
            follower.didChange(after)
        } else {
            follower.undoChanges(keeping: 0)
            follower.didChange(nil)
        }
    }

    /// Performs a job without a savepoint.
    private func performBare(_ job: WriteJob) throws -> @Sendable () -> Void {
        do {
            return try job.perform(connection)
        } catch {
            guard !endsBatch(error) else { throw error }
            throw JobFailure()
        }
    }

    /// Performs a job with a savepoint, and undoes it if it throws.
    ///
    /// Even then its caller gets the error only after the commit, because the job may have failed
    /// due to changes of the jobs before it.
    private func performApart(_ job: WriteJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT job")
        let changeCount = connection.follower?.changeCount ?? 0
        do {
            let completion = try job.perform(connection)
            try connection.run("RELEASE job")
            return completion
        } catch {
            guard !endsBatch(error) else { throw error }
            try connection.run("ROLLBACK TO job")
            try connection.run("RELEASE job")
            connection.follower?.undoChanges(keeping: changeCount)
            return { job.fail(error) }
        }
    }

    private func endsBatch(_ error: any Error) -> Bool {
        guard connection.isInTransaction else { return true }
        guard let error = error as? SQLiteError else { return false }
        return error.code.endsConnection || error.code.primary == .full
            || error.code.primary == .outOfMemory
    }
}

/// A job threw, but the transaction is intact except for that job's changes.
private struct JobFailure: Error {}
