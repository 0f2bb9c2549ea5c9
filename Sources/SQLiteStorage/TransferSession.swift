package import SQLite
import Threads

/// Imports and exports records on one connection, whose transaction is the caller's.
package struct TransferSession {
    let connection: Connection

    /// A session on this connection.
    package init(_ connection: Connection) {
        self.connection = connection
    }
}

extension SQLiteDatabase {
    /// Runs `job` in one transaction on the writer's thread and blocks until its changes are
    /// durable; not for threads that serve requests.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether the job can be undone and performed again, as other writes are
    ///     when the disk is full; one that uses up its input can't.
    ///   - job: What makes the changes.
    /// - Returns: What `job` returns.
    /// - Throws: What `job` throws, then with none of its changes made, and the `SQLiteError` or
    ///   `WriterError` that the transaction failed of.
    package func transfer<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (TransferSession) throws -> T
    ) throws -> T {
        let failure = Mutex<(any Error)?>(nil)
        let outcome = Mutex<Result<T, any Error>?>(nil)
        let end = Semaphore()
        writer.write { connection in
            if isRepeatable { return try job(TransferSession(connection)) }
            if let error = failure.withLock({ $0 }) { throw error }
            // The only thing that a job is performed again for unless it has thrown.
            failure.withLock { $0 = SQLiteError(code: .full, message: "the disk is full") }
            do {
                return try job(TransferSession(connection))
            } catch {
                failure.withLock { $0 = error }
                throw error
            }
        } completion: { result in
            outcome.withLock { $0 = result }
            end.signal()
        }
        while true {
            switch outcome.withLock({ $0 }) {
            case .success(let value): return value
            case .failure(let error): throw error
            case nil: end.wait(atMostMilliseconds: nil)
            }
        }
    }
}
