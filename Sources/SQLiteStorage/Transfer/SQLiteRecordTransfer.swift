package import Model
package import SQLite
import Threads

/// Imports and exports the records of a SQLite database.
package struct SQLiteRecordTransfer: RecordTransfer {
    private let database: SQLiteDatabase
    private let configuration: DatabaseConfiguration

    /// Imports by the database's writer; exports by a connection of its own to the configuration's
    /// database, which must be the same.
    package init(_ database: SQLiteDatabase, _ configuration: DatabaseConfiguration) {
        self.database = database
        self.configuration = configuration
    }

    package func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (RecordImport) throws -> T
    ) throws -> T {
        let failure = Mutex<(any Error)?>(nil)
        let outcome = Mutex<Result<T, any Error>?>(nil)
        let end = Semaphore()
        database.writer.write { connection in
            if isRepeatable { return try job(TransferSession(connection).recordImport) }
            if let error = failure.withLock({ $0 }) { throw error }
            // The only thing that a job is run again for unless it has thrown.
            failure.withLock { $0 = SQLiteError(code: .full, message: "the disk is full") }
            do {
                return try job(TransferSession(connection).recordImport)
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

    package func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try Self.exportRecords(from: configuration, check: { _ in }, job)
    }

    /// Exports from a database that is not open and may be in a folder that can't be written to.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is.
    ///   - check: Throws if the tables may not be what this program reads.
    ///   - job: What reads the records.
    /// - Returns: What `job` returns.
    /// - Throws: What `check` and `job` throw, and `SQLiteError`.
    package static func exportRecords<T>(
        from configuration: DatabaseConfiguration,
        check: (Connection) throws -> Void,
        _ job: (RecordExport) throws -> T
    ) throws -> T {
        try DatabaseSnapshot.read(configuration) { connection in
            try check(connection)
            return try job(TransferSession(connection).recordExport)
        }
    }
}
