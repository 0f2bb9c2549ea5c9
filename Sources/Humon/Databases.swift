package import Model
import SQLite
import SQLiteStorage

/// Opens the database of a configuration.
package enum Databases {
    /// Applies pending migrations and opens the database with all its stores.
    ///
    /// - Parameters:
    ///   - configuration: The database and its limits.
    ///   - mustExist: Whether to throw if there is no database, instead of creating one.
    ///   - importsRecords: Whether many records will be imported.
    ///   - observe: Called when the state of the open files changes; it must not block.
    /// - Throws: `CommandError` if the database must exist and does not; `StorageRejection` and
    ///   errors of SQLite if it can't be opened.
    /// - Returns: The open storage, which the caller closes.
    package static func open(
        _ configuration: Configuration,
        mustExist: Bool = false,
        importsRecords: Bool = false,
        observe: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws -> any Storage {
        let file = file(of: configuration)
        try file.check()
        if mustExist { try requireDatabase(file) }
        var options = SQLiteStorageEngine.Options(file, try migrator(of: configuration))
        options.readerCount = configuration.workers
        options.queuedWrites = configuration.storageLimits.queuedWrites
        options.eventCacheBytes = Composition.eventCacheBytes(configuration).stored
        options.importsRecords = importsRecords
        return try SQLiteStorageEngine(options, observe: observe)
    }

    /// Throws `CommandError` if there is no database, and `SQLiteError` if that is unknown.
    static func requireDatabase(_ file: DatabaseConfiguration) throws {
        guard try file.isEmpty() else { return }
        throw CommandError("There is no database at \"\(file.path)\", which DATABASE_URL names.")
    }

    /// Returns the file of the database, and how it is opened.
    static func file(of configuration: Configuration) -> DatabaseConfiguration {
        DatabaseConfiguration(
            path: configuration.databasePath,
            synchronous: configuration.synchronous
        )
    }

    /// Returns the migrations that are embedded in the program, for this database.
    static func migrator(of configuration: Configuration) throws -> Migrator {
        let migrations = EmbeddedMigrations.all.map { file in
            (name: String(file.name.dropLast(".sql".count)), sql: file.text)
        }
        return try Migrator(migrations, configuration: file(of: configuration))
    }
}
