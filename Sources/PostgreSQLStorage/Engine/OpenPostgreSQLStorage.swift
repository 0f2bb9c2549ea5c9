import Events
import Model
import SharedStorage
import PostgreSQL
import System

/// A PostgreSQL database with all its stores, open for a server or a command.
struct OpenPostgreSQLStorage: Storage {
    let stores: Stores
    let transfer: any RecordTransfer
    private let database: PostgreSQLDatabase
    private let blockingConnections: BlockingConnections
    private let transactionThread: WorkerPool
    private let writeCheck: WriteCheck
    /// The number of pending migrations when the database was last written to.
    private let pendingMigrations: PendingMigrations
    /// Loads all events; nil for commands.
    private let loader: EventLoader?

    /// Opens a database.
    ///
    /// Unless all migrations are applied to it, `prepare` does that once it can be reached.
    /// `observe` is called when the database becomes unreachable or reachable.
    init(
        _ engine: PostgreSQLEngine,
        _ log: PostgreSQLLog,
        isServing: Bool,
        prepare: (@Sendable () throws -> Void)?,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws {
        let options = engine.options
        var configuration = engine.configuration
        configuration.notes = log.notes
        let index = LivingEventIndex(
            contentBytes: isServing ? options.contentBytes : 0,
            waitMilliseconds: options.indexMilliseconds
        )
        if isServing {
            configuration.notifications = log.notifications { [signal = index.signal] in
                signal.send()
            }
        }
        let connections = try Database(configuration, prepare: prepare) { event in
            observe(StorageEvent(event))
        }
        let searches =
            try isServing
            ? BroadSearches(onThreadWith: options.searchLimits)
            : BroadSearches(limits: options.searchLimits)
        database = PostgreSQLDatabase(
            connections,
            options.representation,
            searches,
            log,
            index,
            isLoadedByThread: isServing,
            blockedWords: options.blockedWords
        )
        blockingConnections = BlockingConnections {
            try engine.configuration.connect(for: .transfer, acceptsReadOnly: false)
        }
        transactionThread = try WorkerPool(
            threads: PostgreSQLTransactions.threads,
            queueLimit: PostgreSQLTransactions.mostWaiting
        )
        let transactions = PostgreSQLTransactions(
            database: database,
            connections: blockingConnections,
            thread: transactionThread,
            searchesInMemory: isServing,
            patience: isServing ? connections.patience : nil,
            limits: options.userLimits
        )
        stores = database.stores(transactions)
        transfer = PostgreSQLRecordTransfer(blockingConnections, log)
        let pending = PendingMigrations()
        pendingMigrations = pending
        let migrator = engine.migrator
        writeCheck = WriteCheck(milliseconds: MonotonicClock.milliseconds) { [database] in
            let history = try await database.touch(reading: migrator.historyCommand)
            pending.note(Result { try history.map(migrator.pendingCount(after:)) ?? 0 })
            try await database.checkTables()
        }
        loader =
            isServing ? EventLoader(index, database.eventSource, retention: options.retention) : nil
        try loader?.start()
    }

    func bindThread() throws { try database.connections.bindThread() }

    func threadDidPause() { database.connections.threadDidPause() }

    /// Does nothing, because an idle thread holds nothing in the database.
    func threadDidSettle() {}

    func unbindThread() { database.connections.unbindThread() }

    func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void) {
        writeCheck.run(completion: completion)
    }

    var queuedWrites: Int { database.connections.queuedWrites }

    var millisecondsSinceFullDisk: Int64? { database.fullDisk.age }

    func pendingMigrationCount() throws -> Int {
        // A connection of its own could take seconds to open, and health checks must not wait.
        try pendingMigrations.count()
    }

    var eventsProblem: String? {
        guard loader != nil else { return nil }
        return database.log.cause.map { "events can't be loaded: \($0)" } ?? database.index.problem
    }

    var measurements: [StorageMeasurement] {
        let totals = database.connections.totals
        let connections = database.connections.connectionTotals
        return [
            .init(
                "humon_database_connections",
                "Open connections to the database.",
                .gauge(connections.open)
            ),
            .init(
                "humon_database_connections_opened_total",
                "Connections to the database that were opened, at the start and again later.",
                .counter(connections.opened)
            ),
            .init(
                "humon_database_connection_failures_total",
                "Attempts to connect to the database that failed.",
                .counter(connections.failures)
            ),
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
                "humon_joined_writes_total",
                "Writes that were stored by one statement with others.",
                .counter(totals.joinedWrites)
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
        ] + database.searches.measurements(of: database.index)
    }

    func close() {
        transactionThread.stop()
        blockingConnections.close()
        database.index.stop()
        if let loader {
            loader.stop { database.connections.close() }
        } else {
            database.connections.close()
        }
        database.searches.stop()
    }
}

/// The number of migrations that the database lacked when it was last looked at.
private final class PendingMigrations: Sendable {
    // A database is opened after all of them were applied.
    private let latest = Mutex<Result<Int, any Error>>(.success(0))

    func note(_ result: Result<Int, any Error>) { latest.withLock { $0 = result } }

    func count() throws -> Int { try latest.withLock { $0 }.get() }
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
