import Model
import PostgreSQL

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
            let session = TransferSession(connection)
            let value = try job(session.recordImport)
            if log.isWrittenByServer { try session.log() }
            return value
        }
    }

    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try connections.withTransaction(StorageStatements.beginSnapshot, attempts: 1) {
            try job(TransferSession($0).recordExport)
        }
    }

    private static let mostAttempts = 5
}
