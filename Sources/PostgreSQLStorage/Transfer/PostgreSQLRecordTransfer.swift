import Model
import PostgreSQL
import SharedStorage

/// The import and export of a PostgreSQL database's records.
struct PostgreSQLRecordTransfer: RecordTransfer {
    private let connections: BlockingConnections
    private let log: PostgreSQLLog

    init(_ connections: BlockingConnections, _ log: PostgreSQLLog) {
        self.connections = connections
        self.log = log
    }

    func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (RecordImport) throws -> T
    ) throws -> T {
        try connections.withTransaction(
            StorageStatements.begin,
            attempts: isRepeatable ? Self.mostAttempts : 1
        ) { connection in
            let session = PostgreSQLTransaction(connection, takesNotes: log.isWrittenByServer)
            let value = try job(TransferSession(connection, session).recordImport)
            try session.finish()
            return value
        }
    }

    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try connections.withTransaction(StorageStatements.beginSnapshot, attempts: 1) {
            try job(PostgreSQLTransaction($0, takesNotes: false).recordExport)
        }
    }

    private static let mostAttempts = 5
}
