/// One transaction that carries the writes of several callers.
struct WriteBatch {
    private let connection: Connection

    /// A batch for a connection that has no transaction open.
    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Performs the jobs and commits; returns what answers each one's caller.
    ///
    /// - Throws: What the transaction failed of; nothing is changed then.
    func commit(_ jobs: [WriteJob]) throws -> [@Sendable () -> Void] {
        do {
            try connection.run("BEGIN IMMEDIATE")
            let answers = try jobs.map(perform)
            try connection.run("COMMIT")
            return answers
        } catch {
            // Some errors have ended the transaction already. If this fails, the next BEGIN does.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Performs one job.
    ///
    /// If it throws, its changes alone are undone; even then its caller is answered only after the
    /// commit, for it may have failed of what its neighbours did.
    private func perform(_ job: WriteJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT job")
        do {
            let answer = try job.perform(connection)
            try connection.run("RELEASE job")
            return answer
        } catch {
            guard connection.isInTransaction, !endsBatch(error) else { throw error }
            try connection.run("ROLLBACK TO job")
            try connection.run("RELEASE job")
            return { job.fail(error) }
        }
    }

    private func endsBatch(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return error.code.endsConnection || error.code.primary == .full
            || error.code.primary == .outOfMemory
    }
}
