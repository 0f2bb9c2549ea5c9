/// One transaction that carries the writes of several callers.
struct WriteBatch {
    private let connection: Connection

    /// A batch for a connection that has no transaction open.
    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Performs the jobs, then those that have come meanwhile, as `arrivals` tells, until there
    /// are none, and commits; returns what answers each one's caller.
    ///
    /// Whoever comes while the others are being performed need not wait for the next commit, and
    /// the disk has one commit less to make.
    ///
    /// - Throws: What the transaction failed of; nothing is changed then. `jobs` holds all that
    ///   were taken on.
    func commit(
        _ jobs: inout [WriteJob],
        arrivals: () -> [WriteJob]
    ) throws -> [@Sendable () -> Void] {
        do {
            try connection.run("BEGIN IMMEDIATE")
            var answers: [@Sendable () -> Void] = []
            while answers.count < jobs.count {
                for job in jobs[answers.count...] { answers.append(try perform(job)) }
                jobs += arrivals()
            }
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
