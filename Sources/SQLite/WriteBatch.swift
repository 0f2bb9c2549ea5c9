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
        do {
            try connection.follower?.didBegin(connection)
            let completions = try perform()
            connection.follower?.willCommit(connection)
            try connection.reserveSpace()
            try connection.run("COMMIT")
            let commits = connection.wal.commitCount &- commitCount
            connection.follower?.didCommit(version(after: before, commits: commits))
            return completions
        } catch {
            // Some errors have already ended the transaction. If this fails, so does the next
            // BEGIN.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            connection.follower?.didFail()
            throw error
        }
    }

    /// Returns the version after the transaction, which made this number of commits; nil if another
    /// program has committed since.
    ///
    /// A program without the writer's lock can do so as soon as the transaction has ended.
    private func version(after before: DatabaseVersion?, commits: UInt32) -> DatabaseVersion? {
        guard let before, let after = connection.version,
            after.commitCount == before.commitCount &+ commits
        else { return nil }
        return after
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
        do {
            let completion = try job.perform(connection)
            try connection.run("RELEASE job")
            return completion
        } catch {
            guard !endsBatch(error) else { throw error }
            try connection.run("ROLLBACK TO job")
            try connection.run("RELEASE job")
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
