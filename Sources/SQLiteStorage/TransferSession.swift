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
    /// Unlike other writes the job is performed once at most.
    ///
    /// - Throws: What `job` throws, then with none of its changes made, and what the database can't
    ///   do.
    package func transfer<T: Sendable>(
        _ job: @escaping @Sendable (TransferSession) throws -> T
    ) throws -> T {
        let failure = Mutex<(any Error)?>(nil)
        let outcome = Mutex<Result<T, any Error>?>(nil)
        let end = Semaphore()
        writer.write { connection in
            if let error = failure.withLock({ $0 }) { throw error }
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
            case .failure(let error): throw modelError(for: error)
            case nil: end.wait(atMostMilliseconds: nil)
            }
        }
    }
}
