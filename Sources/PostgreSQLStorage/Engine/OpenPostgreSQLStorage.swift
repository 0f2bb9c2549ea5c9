import Model
import PostgreSQL

/// A PostgreSQL database with all its stores, open for a server or a command.
struct OpenPostgreSQLStorage: Storage {
    let stores: Stores
    let transfer: any RecordTransfer
    let accountAdministration: any AccountAdministration
    private let database: PostgreSQLDatabase
    private let blockingConnections: BlockingConnections
    private let migrator: Migrator

    /// Opens a database to which all migrations are applied.
    ///
    /// `observe` is called when the database becomes unreachable or reachable.
    init(
        _ configuration: DatabaseConfiguration,
        _ migrator: Migrator,
        _ representation: EventRepresentation,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws {
        let connections = try Database(configuration) { event in observe(StorageEvent(event)) }
        database = PostgreSQLDatabase(connections, representation)
        blockingConnections = BlockingConnections(configuration)
        stores = database.stores
        transfer = PostgreSQLRecordTransfer(blockingConnections)
        accountAdministration = PostgreSQLAccountAdministration(database, blockingConnections)
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
        try blockingConnections.withConnection { connection in
            try migrator.status(on: connection).count { $0.appliedAt == nil }
        }
    }

    var measurements: [StorageMeasurement] {
        let totals = database.connections.totals
        return [
            .init(
                "humon_writer_queue_length",
                "Writes waiting for the database.",
                .gauge(queuedWrites)
            ),
            .init("humon_commits_total", "Durable transactions.", .counter(totals.transactions)),
            .init(
                "humon_committed_writes_total",
                "Writes in durable transactions.",
                .counter(totals.writes)
            ),
            .init(
                "humon_repeated_transactions_total",
                "Transactions that were sent again after a conflict with others.",
                .counter(totals.repetitions)
            ),
            .init(
                "humon_unknown_writes_total",
                "Writes of which it is not known whether they were stored.",
                .counter(totals.unknownWrites)
            ),
        ]
    }

    func close() {
        blockingConnections.close()
        database.connections.close()
    }
}

extension StorageEvent {
    fileprivate init(_ event: DatabaseEvent) {
        switch event {
        case .unreachable(let error): self = .unreachable(cause: error.message)
        case .reachable: self = .reachable
        case .settingsRejected(let advice): self = .settingsRejected(advice: advice)
        }
    }
}
