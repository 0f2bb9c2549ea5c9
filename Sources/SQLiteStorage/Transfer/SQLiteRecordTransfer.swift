package import Model
import SharedStorage
package import SQLite
import System

/// The import and export of a SQLite database's records.
package struct SQLiteRecordTransfer: RecordTransfer {
    private let database: SQLiteDatabase
    private let configuration: DatabaseConfiguration

    /// Imports with the database's writer, and exports with a connection of its own.
    ///
    /// `configuration` must be of the same database.
    package init(_ database: SQLiteDatabase, _ configuration: DatabaseConfiguration) {
        self.database = database
        self.configuration = configuration
    }

    package func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (RecordImport) throws -> T
    ) throws -> T {
        let failure = Mutex<(any Error)?>(nil)
        return try database.writer.writeAndWait { connection in
            if isRepeatable { return try job(TransferSession(connection).recordImport) }
            if let error = failure.withLock({ $0 }) { throw error }
            // If the job has not thrown, it is only run again because the disk was full.
            failure.withLock { $0 = SQLiteError(code: .full, message: "the disk is full") }
            do {
                return try job(TransferSession(connection).recordImport)
            } catch {
                failure.withLock { $0 = error }
                throw error
            }
        }
    }

    package func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try Self.exportRecords(from: configuration, check: { _ in }, job)
    }

    /// Exports from a database that is not open, even if its folder is read-only.
    ///
    /// - Parameters:
    ///   - configuration: The location of the database.
    ///   - check: Throws if the tables may not match this program.
    ///   - job: The function that reads the records.
    /// - Returns: What `job` returns.
    /// - Throws: The errors of `check` and `job`, and `SQLiteError`.
    package static func exportRecords<T>(
        from configuration: DatabaseConfiguration,
        check: (Connection) throws -> Void,
        _ job: (RecordExport) throws -> T
    ) throws -> T {
        try DatabaseSnapshot.read(configuration) { connection in
            try check(connection)
            return try job(connection.recordExport)
        }
    }
}
