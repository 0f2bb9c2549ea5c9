import HTTP
package import Model
package import SQLite
package import SQLiteStorage
package import Web

/// The database of a configuration, migrated and open, with the stores on it.
package struct Storage: Sendable {
    package let database: SQLiteDatabase
    /// Imports and exports.
    package let transfer: any RecordTransfer

    /// What each reader may keep of the file, in KiB: the tree of some ten thousand events.
    private static let readerCacheKibibytes: Int32 = 4096
    /// The same for the writer, which changes pages all over the tree.
    package static let writerCacheKibibytes: Int32 = 16_384
    /// The same for the writer of an import.
    static let bulkCacheKibibytes: Int32 = 65_536

    /// Brings the database up to date and opens it.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is and how it is opened.
    ///   - mustExist: Whether to throw instead of making a database where there is none.
    ///   - writerCacheKibibytes: What the writer may keep of the file, in KiB.
    ///   - observe: Called when something becomes of the files while they are open; must not wait.
    /// - Throws: What the database can't do; `CommandError` where it must exist and does not.
    package init(
        _ configuration: Configuration,
        mustExist: Bool = false,
        writerCacheKibibytes: Int32 = Self.writerCacheKibibytes,
        observe: @escaping @Sendable (WriterEvent) -> Void = { _ in }
    ) throws {
        var file = Self.database(of: configuration)
        try file.check()
        if mustExist { try Self.requireDatabase(file) }
        file.cacheKibibytes = writerCacheKibibytes
        let migrator = try Self.migrator(of: configuration)
        _ = try migrator.migrate()
        try Self.requireTables(migrator)
        let limits = WriterLimits(queuedWrites: configuration.storageLimits.queuedWrites)
        let writer = try Writer(file, limits: limits, observe: observe)
        // Readers that are opened later must not read another database than is written to.
        file.files = writer.files
        file.cacheKibibytes = Self.readerCacheKibibytes
        database = SQLiteDatabase(
            writer: writer,
            readers: try ReaderPool(file, commits: writer.commits),
            readerCount: configuration.workers,
            eventCacheBytes: Composition.eventCacheBytes(configuration).stored
        )
        transfer = SQLiteRecordTransfer(database, file)
    }

    package var events: SQLiteEventStore { SQLiteEventStore(database) }

    package var users: SQLiteUserStore { SQLiteUserStore(database) }

    package var accounts: SQLiteAccountStore { SQLiteAccountStore(database) }

    package var todoTasks: SQLiteTodoTaskStore { SQLiteTodoTaskStore(database) }

    package var sharedTasks: SQLiteSharedTaskStore { SQLiteSharedTaskStore(database) }

    package var checkins: SQLiteCheckinStore { SQLiteCheckinStore(database) }

    package var stores: Stores {
        Stores(
            users: users,
            events: events,
            attendances: SQLiteAttendanceStore(database),
            accounts: accounts,
            todoTasks: todoTasks,
            sharedTasks: sharedTasks,
            checkins: checkins
        )
    }

    /// Finishes what is being written and closes the database; blocks until that is done.
    package func close() {
        database.readers.close()
        database.writer.stop()
    }

    /// Throws `CommandError` if there is no database, and `SQLiteError` if that can't be known.
    static func requireDatabase(_ file: DatabaseConfiguration) throws {
        guard try file.isEmpty() else { return }
        throw CommandError("There is no database at \"\(file.path)\", which DATABASE_URL names.")
    }

    /// Throws `CommandError` if a table is missing that a migration has made.
    private static func requireTables(_ migrator: Migrator) throws {
        let missing = try migrator.missingTables()
        guard !missing.isEmpty else { return }
        throw CommandError(
            "The database has no table \(missing.joined(separator: ", ")), though its migrations "
                + "are applied: another program has changed it. Run `humon restore FILE` with the "
                + "latest backup."
        )
    }

    /// How the configuration's database is opened.
    static func database(of configuration: Configuration) -> DatabaseConfiguration {
        DatabaseConfiguration(
            path: configuration.databasePath,
            synchronous: configuration.synchronous
        )
    }

    /// The migrations that are embedded in the program, for the configuration's database.
    static func migrator(of configuration: Configuration) throws -> Migrator {
        let migrations = EmbeddedMigrations.all.map { file in
            (name: String(file.name.dropLast(".sql".count)), sql: file.text)
        }
        return try Migrator(migrations, configuration: database(of: configuration))
    }
}
