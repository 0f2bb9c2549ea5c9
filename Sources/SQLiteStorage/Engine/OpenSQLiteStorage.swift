import Events
package import Model
import Rules
import SQLite
import System

/// A SQLite database with all its stores, open for a server or a command.
package struct OpenSQLiteStorage: Storage {
    /// The page cache of each reader in KiB: the rows of some ten thousand events.
    private static let readerCacheKibibytes: Int32 = 4096
    /// The page cache of the writer in KiB.
    private static let writerCacheKibibytes: Int32 = 16_384
    /// The page cache of the writer of an import in KiB.
    private static let importCacheKibibytes: Int32 = 131_072

    package let stores: Stores
    package let transfer: any RecordTransfer
    private let database: SQLiteDatabase
    private let migrator: Migrator
    private let index: LivingEventIndex?
    private let loader: EventLoader?

    /// Applies pending migrations and opens the database.
    ///
    /// - Parameters:
    ///   - engine: The database to open, and its limits.
    ///   - purpose: The purpose; for an import, the writer caches more pages.
    ///   - observe: Called when the state of the open files changes; it must not block.
    /// - Throws: `SQLiteError`, `MigrationError`, or `OperatorError` if a table is missing.
    init(
        _ engine: SQLiteEngine,
        for purpose: StoragePurpose,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws {
        let options = engine.options
        var file = engine.file
        migrator = engine.migrator
        _ = try migrator.migrate { name, connection in
            if let event = LongMigration.event(before: name, on: connection) { observe(event) }
        }
        try Self.requireTables(migrator)
        file.cacheKibibytes =
            purpose == .importing ? Self.importCacheKibibytes : Self.writerCacheKibibytes
        let limits = WriterLimits(queuedWrites: options.queuedWrites)
        let index =
            purpose == .serving
            ? LivingEventIndex(
                contentBytes: options.contentBytes,
                waitMilliseconds: options.indexMilliseconds
            ) : nil
        let writer = try Writer(
            file,
            limits: limits,
            follower: index.map { EventFollower($0, options.representation) }
        ) { event in observe(StorageEvent(event)) }
        // Readers that are opened later must read the same database that is written to.
        file.files = writer.files
        file.cacheKibibytes = Self.readerCacheKibibytes
        let readers = try ReaderPool(file, commits: writer.commits)
        if purpose == .serving { try Self.noteStart(file, writer, readers) }
        database = SQLiteDatabase(
            writer: writer,
            readers: readers,
            representation: options.representation,
            searches: try purpose == .serving
                ? BroadSearches(readers, limits: options.searchLimits)
                : BroadSearches(limits: options.searchLimits),
            index: index,
            userLimits: options.userLimits,
            blockedWords: options.blockedWords
        )
        transfer = SQLiteRecordTransfer(database, file)
        stores = database.stores
        let source = SQLiteEventSource(writer, readers, options.representation)
        loader = index.map { index in
            EventLoader(index, source, retention: options.retention) { bytes in
                observe(.eventsLoaded(bytes: bytes))
            }
        }
        self.index = index
        try loader?.start()
    }

    /// Gives the log another identity if a power failure may have undone commits, whose numbers
    /// would be used again, and notes this start of the system if another one may undo commits.
    ///
    /// Usually all commits are durable, and it writes nothing.
    private static func noteStart(
        _ file: DatabaseConfiguration,
        _ writer: Writer,
        _ readers: ReaderPool
    ) throws {
        let text = try? SmallFile.text(at: "/proc/sys/kernel/random/boot_id")
        let start = text.map { String($0.prefix { $0 != "\n" }) }
        let known = try readers.read { try SQLiteLog($0).start() }
        let next = file.synchronous.syncsCommits ? nil : start
        let mayLackCommits = known != nil && known != start
        do {
            if known != next {
                try writer.writeAndWait { connection in
                    let log = SQLiteLog(connection)
                    if mayLackCommits { try log.renewAfterLoss() }
                    try log.setStart(next)
                }
            }
            // Otherwise a power failure can undo this, too, with the commits that follow.
            if next != nil { try writer.files?.syncLog() }
        } catch {
            // Otherwise the next start can note it, such as when the disk has space again.
            if mayLackCommits { throw error }
        }
    }

    private static func requireTables(_ migrator: Migrator) throws {
        let missing = try migrator.missingTables()
        guard !missing.isEmpty else { return }
        throw OperatorError(
            "The database has no table \(missing.joined(separator: ", ")), though its migrations "
                + "are applied: another program has changed it. Run `humon restore FILE` with the "
                + "latest backup."
        )
    }

    package func bindThread() throws { try database.readers.bindThread() }

    package func threadDidPause() { database.readers.threadDidPause() }

    package func threadDidSettle() { database.readers.threadDidSettle() }

    package func unbindThread() { database.readers.unbindThread() }

    package func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void) {
        database.checkWritable(completion: completion)
    }

    package var queuedWrites: Int { database.writer.queuedWrites }

    package var millisecondsSinceFullDisk: Int64? { database.writer.millisecondsSinceFullDisk }

    package var eventsProblem: String? { index?.problem }

    package func pendingMigrationCount() throws -> Int {
        // Only check the own database: closing another file would end locks of this process.
        try database.writer.files?.check()
        return try migrator.status().count { $0.appliedAt == nil }
    }

    package var measurements: [StorageMeasurement] {
        let writer = database.writer
        let totals = writer.totals
        let seconds = Double(totals.microseconds) / 1_000_000
        let batches = StorageMeasurement.Value.histogram(
            counts: totals.commitsByWrites,
            sum: totals.committedWrites
        )
        return [
            .init(
                "humon_writer_queue_length",
                "Writes waiting for the database.",
                .gauge(writer.queuedWrites)
            ),
            .init("humon_commits_total", "Durable transactions.", .counter(totals.commits)),
            .init(
                "humon_commit_seconds_total",
                "Time that durable transactions took.",
                .seconds(seconds)
            ),
            .init(
                "humon_committed_writes_total",
                "Writes in durable transactions.",
                .counter(totals.committedWrites)
            ),
            .init("humon_commit_writes", "Writes that share a transaction.", batches),
            .init(
                "humon_failed_writes_total",
                "Writes whose whole transaction failed.",
                .counter(totals.failedWrites)
            ),
            .init("humon_wal_bytes", "Size of the WAL's file.", .gauge(writer.walFileBytes)),
            .init(
                "humon_wal_used_bytes",
                "Bytes of the WAL that the latest commits use.",
                .gauge(writer.walPages * Connection.pageBytes)
            ),
            .init(
                "humon_checkpoints_total",
                "Times the WAL was copied into the database.",
                .counter(totals.checkpoints)
            ),
        ] + database.searches.measurements(of: index)
    }

    package func close() {
        loader?.stop()
        index?.stop()
        database.searches.stop()
        database.readers.close()
        database.writer.stop()
    }
}

extension StorageEvent {
    fileprivate init(_ event: WriterEvent) {
        switch event {
        case .filesLost(let cause): self = .filesLost(cause: cause)
        case .filesFound: self = .filesFound
        }
    }
}
