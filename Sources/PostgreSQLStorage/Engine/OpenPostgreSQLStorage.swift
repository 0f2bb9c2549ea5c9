import Model
import PostgreSQL

/// A PostgreSQL database with all its stores, open for a server or a command.
struct OpenPostgreSQLStorage: Storage {
    let stores: Stores
    let transfer: any RecordTransfer
    let accountAdministration: any AccountAdministration
    private let database: PostgreSQLDatabase
    private let connections: BlockingConnections
    private let migrator: Migrator

    /// Opens a database to which all migrations are applied.
    init(
        _ configuration: DatabaseConfiguration,
        _ migrator: Migrator,
        _ representation: EventRepresentation
    ) throws {
        database = PostgreSQLDatabase(try Database(configuration), representation)
        connections = BlockingConnections(configuration)
        stores = database.stores
        transfer = PostgreSQLRecordTransfer(connections)
        accountAdministration = PostgreSQLAccountAdministration(database, connections)
        self.migrator = migrator
    }

    func bindThread() throws { try database.connections.bindThread() }

    func threadDidPause() { database.connections.threadDidPause() }

    func threadDidSettle() { database.connections.threadDidSettle() }

    func unbindThread() { database.connections.unbindThread() }

    func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void) {
        let database = database
        Task {
            do {
                try await database.touch()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    var queuedWrites: Int { database.connections.queuedWrites }

    /// Nil: only the database knows how full its disk is.
    var millisecondsSinceFullDisk: Int64? { nil }

    func pendingMigrationCount() throws -> Int {
        try connections.withConnection { connection in
            try migrator.status(on: connection).count { $0.appliedAt == nil }
        }
    }

    var measurements: [StorageMeasurement] {
        [
            .init(
                "humon_writer_queue_length",
                "Writes waiting for the database.",
                .gauge(queuedWrites)
            )
        ]
    }

    func close() {
        connections.close()
        database.connections.close()
    }
}
