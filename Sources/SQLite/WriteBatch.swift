/// One transaction that carries the writes of several callers.
struct WriteBatch {
    private let connection: Connection

    /// A batch for a connection that has no transaction open.
    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Performs the jobs and commits; returns what answers each one's caller.
    ///
    /// Nearly always all of them succeed, and then none needs a savepoint, which would copy every
    /// page that the job changes. If one throws, all of them are performed anew with one each, so
    /// that it alone is undone.
    ///
    /// - Throws: What the transaction failed of; nothing is changed then.
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
        do {
            try connection.run("BEGIN IMMEDIATE")
            let answers = try perform()
            try connection.reserveRoom()
            try connection.run("COMMIT")
            return answers
        } catch {
            // Some errors have ended the transaction already. If this fails, the next BEGIN does.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Performs one job that cannot be undone alone.
    private func performBare(_ job: WriteJob) throws -> @Sendable () -> Void {
        do {
            return try job.perform(connection)
        } catch {
            guard !endsBatch(error) else { throw error }
            throw JobFailure()
        }
    }

    /// Performs one job, and undoes it if it throws.
    ///
    /// Even then its caller is answered only after the commit, for it may have failed of what its
    /// neighbours did.
    private func performApart(_ job: WriteJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT job")
        do {
            let answer = try job.perform(connection)
            try connection.run("RELEASE job")
            return answer
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

/// A job threw, and nothing is wrong with the transaction but for what the job did in it.
private struct JobFailure: Error {}
