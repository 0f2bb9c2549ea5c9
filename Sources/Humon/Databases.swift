import Events
import Formats
package import Model
import Operations
import PostgreSQLStorage
import Rules
package import Settings
import SQLiteStorage
package import Words

/// Chooses the engine for the database of a configuration.
package enum Databases {
    /// Returns the engine for the database that DATABASE_URL names.
    package static func engine(
        for configuration: Configuration,
        blockedWords: WordList = WordList()
    ) throws -> any StorageEngine {
        if let url = configuration.postgresqlURL {
            var options = options(at: url, configuration)
            options.blockedWords = blockedWords
            return try PostgreSQLEngine(options)
        }
        var options = fileOptions(configuration)
        options.blockedWords = blockedWords
        return try SQLiteEngine(options)
    }

    /// The version of SQLite in this program.
    static var libraryVersion: String { SQLiteEngine.libraryVersion }

    private static func fileOptions(_ configuration: Configuration) -> SQLiteEngine.Options {
        var options = SQLiteEngine.Options(
            path: configuration.databasePath,
            durability: configuration.durability,
            migrations: migrations(EmbeddedSQLiteMigrations.all),
            representation: representation(configuration)
        )
        options.userLimits = configuration.storageLimits.users
        options.retention = configuration.storageLimits.retention
        options.queuedWrites = configuration.storageLimits.queuedWrites
        options.searchLimits = configuration.storageLimits.searches
        options.contentBytes = configuration.storageLimits.eventCacheMegabytes.megabytes
        options.indexMilliseconds = configuration.storageLimits.indexMilliseconds
        return options
    }

    /// Returns the options of the engine for the PostgreSQL database at `url`.
    static func options(
        at url: String,
        _ configuration: Configuration
    ) -> PostgreSQLEngine.Options {
        var options = PostgreSQLEngine.Options(
            url: url,
            migrations: migrations(EmbeddedPostgreSQLMigrations.all),
            representation: representation(configuration)
        )
        options.readers = configuration.postgresqlReaders
        options.timeoutMilliseconds = configuration.postgresqlTimeoutMilliseconds
        options.preparesStatements = configuration.preparesStatements
        options.userLimits = configuration.storageLimits.users
        options.retention = configuration.storageLimits.retention
        options.queuedWrites = configuration.storageLimits.queuedWrites
        options.searchLimits = configuration.storageLimits.searches
        options.contentBytes = configuration.storageLimits.eventCacheMegabytes.megabytes
        options.indexMilliseconds = configuration.storageLimits.indexMilliseconds
        options.hasOtherServers = configuration.nodes > 1
        return options
    }

    private static func representation(_ configuration: Configuration) -> EventRepresentation {
        var representation = EventRepresentation.json
        let words = configuration.storageLimits.searchWords
        representation.terms.maximumWords = configuration.searchesText ? words : 0
        return representation
    }

    /// Returns the names and the texts of embedded files.
    static func migrations(
        _ files: [(name: String, text: String)]
    ) -> [(name: String, sql: String)] {
        files.map { (name: String($0.name.dropLast(".sql".count)), sql: $0.text) }
    }

    /// Returns the engine for a database in a file, such as a backup.
    ///
    /// - Parameters:
    ///   - path: The path of the file; nil for `Configuration.databasePath`.
    ///   - isDraft: Whether the file is about to be filled with the records of another database.
    ///   - configuration: The settings.
    /// - Returns: The engine.
    /// - Throws: `MigrationError` if the migrations are not in order.
    static func fileEngine(
        at path: String? = nil,
        isDraft: Bool = false,
        _ configuration: Configuration
    ) throws -> any StorageEngine {
        var options = fileOptions(configuration)
        if let path { options.path = path }
        options.isDraft = isDraft
        return try SQLiteEngine(options)
    }

    /// Applies pending migrations and opens the database with all its stores.
    ///
    /// For a server, it reads BLOCKED_WORDS_FILE first.
    ///
    /// - Parameters:
    ///   - configuration: The database and its limits.
    ///   - mustExist: Whether to throw if there is no database, instead of creating one.
    ///   - purpose: What it is opened for.
    ///   - observe: Called when the state of the storage changes; it must not block. Unless given,
    ///     it writes to standard error which migrations take long.
    /// - Returns: The open storage, which the caller closes.
    /// - Throws: `OperatorError` if the database must exist and does not, `SettingError` if the
    ///   blocked words can't be read, and the errors of `StorageEngine.open`.
    package static func open(
        _ configuration: Configuration,
        mustExist: Bool = false,
        for purpose: StoragePurpose = .administration,
        observe: @escaping @Sendable (StorageEvent) -> Void = { event in announce(event) }
    ) throws -> any Storage {
        let isServer = purpose == .serving
        let words = isServer ? try BlockedWords.list(at: configuration.blockedWordsPath) : nil
        let engine = try engine(for: configuration, blockedWords: words ?? WordList())
        try engine.check()
        if mustExist { try engine.requireDatabase() }
        try prepareMigration(of: engine, configuration, observe: observe)
        return try engine.open(for: purpose, observe: observe)
    }

    /// Applies pending migrations and returns their names.
    ///
    /// - Parameters:
    ///   - configuration: The database, and where its backups are.
    ///   - observe: Called before a backup or a migration that takes long.
    /// - Returns: The names of the applied migrations.
    /// - Throws: The errors of `open`.
    static func migrate(
        _ configuration: Configuration,
        observe: (StorageEvent) -> Void
    ) throws -> [String] {
        let engine = try engine(for: configuration)
        try engine.check()
        try prepareMigration(of: engine, configuration, observe: observe)
        return try engine.migrate(observe: observe)
    }

    /// Makes the backup before pending migrations, unless it is turned off.
    ///
    /// - Throws: `OperatorError` if it fails, or if a newer version has migrated the database. The
    ///   message then names the backup that this version can use, if there is one.
    private static func prepareMigration(
        of engine: any StorageEngine,
        _ configuration: Configuration,
        observe: (StorageEvent) -> Void
    ) throws {
        // PostgreSQL has its own programs for backups, and its migrations check the history.
        guard configuration.postgresqlURL == nil else { return }
        let folder = configuration.backupFolder
        do {
            if configuration.backsUpBeforeMigrations {
                try UpgradeBackup(of: engine, in: folder).makeIfNeeded(observe: observe)
            } else {
                _ = try engine.migrations()
            }
        } catch let error as NewerDatabase {
            guard let backup = UpgradeBackup.latest(in: folder, engine.files) else { throw error }
            throw OperatorError(
                """
                \(error.explanation) The latest backup that this version can use is \(backup). To \
                use it, run `humon restore \(backup.shellWord)`. The current database is \
                kept beside it.
                """
            )
        }
    }

    /// Writes to standard error that a backup is made before a migration, or that one takes long.
    package static func announce(_ event: StorageEvent) {
        switch event {
        case .backingUp(let path):
            Terminal.error.write("Backing up the database to \(path) before the migration…\n")
        case .backedUp(let path):
            Terminal.error.write(
                """
                To go back to the earlier version, stop the server, install that version, and run \
                `humon restore \(path.shellWord)`.

                """
            )
        case .migrating(let name, let events):
            Terminal.error.write("Applying \(name) to \(events) events…\n")
        case .filesLost, .filesFound, .unreachable, .reachable, .settingsRejected,
            .eventsLoaded, .eventsNotKept:
            break
        }
    }
}

extension Int {
    /// This number of megabytes in bytes; no machine has as much memory as would overflow this.
    fileprivate var megabytes: Int { Swift.min(self, 1_000_000) * 1_000_000 }
}
