package import Events
package import Model
import PostgreSQL
import Rules
import System
import Time
package import Words

/// A PostgreSQL database, or one of an engine that speaks its protocol.
package struct PostgreSQLEngine: StorageEngine {
    /// The values that opening a database needs.
    package struct Options: Sendable {
        /// The URL of the database, such as `postgres://user@host/database`.
        package var url: String
        /// The names and texts of all migrations, in their order.
        package var migrations: [(name: String, sql: String)]
        /// How events are represented to clients.
        package var representation: EventRepresentation
        /// The number of connections of each thread that reads.
        package var readers = 2
        /// The longest time that a statement of a server may take, in ms.
        package var timeoutMilliseconds = 5000
        /// The limits of reports and blocks.
        package var userLimits = UserLimits()
        /// Which changes the log retains.
        package var retention = LogRetention()
        /// Whether statements are prepared under names.
        package var preparesStatements = true
        package var queuedWrites = StorageLimits().queuedWrites
        package var searchLimits = SearchLimits()
        /// Memory for the contents of all events, in bytes.
        package var contentBytes = 0
        /// The longest time that a search waits until all events are in memory, in ms.
        package var indexMilliseconds = StorageLimits().indexMilliseconds
        /// Whether other servers use the database, which get a notification of each write.
        package var hasOtherServers = false
        /// The words that hide an event.
        package var blockedWords = WordList()

        package init(
            url: String,
            migrations: [(name: String, sql: String)],
            representation: EventRepresentation
        ) {
            self.url = url
            self.migrations = migrations
            self.representation = representation
        }
    }

    let configuration: DatabaseOptions
    let migrator: PostgreSQLMigrator
    let options: Options

    /// Creates an engine, without connecting.
    ///
    /// - Throws: `MigrationError` if the migrations are not in order, `ConnectionURLError` if the
    ///   URL can't be used as it is, and `LibraryError` if libpq is missing.
    package init(_ options: Options) throws {
        try self.init(options, url: ConnectionURL(options.url))
    }

    /// Creates an engine for the database of `url` instead of that of `options`.
    init(_ options: Options, url: ConnectionURL) throws {
        var configuration = DatabaseOptions(url: url)
        configuration.readers = options.readers
        configuration.timeoutMilliseconds = options.timeoutMilliseconds
        configuration.preparesStatements = options.preparesStatements
        configuration.queuedWrites = options.queuedWrites
        self.configuration = configuration
        migrator = try PostgreSQLMigrator(options.migrations, url: configuration.url)
        self.options = options
    }

    package var name: String { configuration.url.description }

    package var files: any DatabaseFiles { NoDatabaseFiles() }

    package func check() throws {}

    /// Returns whether no migration of Humon was applied to the database.
    package func isEmpty() throws -> Bool {
        try migrator.status().allSatisfy { $0.appliedAt == nil }
    }

    package var isReadOnly: Bool {
        // Without a connection, the next step fails, and says why.
        guard let connection = try? configuration.connect(acceptsReadOnly: true) else {
            return false
        }
        return (try? Self.isReadOnly(connection)) ?? false
    }

    /// Returns whether a connection rejects writes, as one to a standby does.
    static func isReadOnly(_ connection: BlockingConnection) throws -> Bool {
        try connection.perform(Command(DoctorStatements.isReadOnly)).first?.text(0) == "on"
    }

    package func open(
        for purpose: StoragePurpose,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws -> any Storage {
        let log = PostgreSQLLog(
            migrator,
            hasOtherServers: options.hasOtherServers,
            observe: observe
        )
        var preparation: (@Sendable () throws -> Void)?
        do {
            try prepare(log)
        } catch let error as PostgreSQLError where purpose == .serving && error.mayPass {
            preparation = { try self.prepareLater(log) }
        }
        return try OpenPostgreSQLStorage(
            self,
            log,
            isServing: purpose == .serving,
            prepare: preparation,
            observe: observe
        )
    }

    /// Applies pending migrations; throws if the database must not be served.
    private func prepare(_ log: PostgreSQLLog) throws {
        _ = try migrator.migrate()
        // A server would serve a part of the records as if it were all.
        try moves.requireComplete()
        try log.prepare()
    }

    /// Does the same later, and throws errors whose messages suit the log.
    private func prepareLater(_ log: PostgreSQLLog) throws {
        do {
            try prepare(log)
        } catch let error as PostgreSQLError where error.kind == .unreachable {
            throw error
        } catch {
            throw PostgreSQLError(.unreachable, message: Explanation.text(of: error))
        }
    }

    package func migrate(observe: (StorageEvent) -> Void) throws -> [String] {
        let names = try migrator.migrate()
        try PostgreSQLLog(migrator).prepare()
        return names
    }

    package func migrations() throws -> [StorageMigration] {
        try migrator.status().map { migration in
            StorageMigration(
                name: migration.name,
                appliedAt: migration.appliedAt.map(Timestamp.init(milliseconds:))
            )
        }
    }

    package func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try requireMigrations()
        try moves.requireComplete()
        let connections = BlockingConnections {
            try configuration.connect(for: .transfer, acceptsReadOnly: true)
        }
        return try PostgreSQLRecordTransfer(connections, PostgreSQLLog(migrator)).exportRecords(job)
    }

    package func makeCopier() -> any StorageCopier { NoCopier() }

    package var moves: any MovableDatabase {
        PostgreSQLMoves(name, migrator, configuration)
    }

    /// The error of functions that only exist for databases in files.
    static let unsupported = OperatorError(
        """
        This command works on SQLite databases only, and DATABASE_URL names a PostgreSQL \
        database. Use PostgreSQL's own programs, such as pg_dump and psql.
        """
    )
}

/// The files of a database that has none.
private struct NoDatabaseFiles: DatabaseFiles {
    let path = ""
    // No name of a file ends with it.
    let suffixes = DatabaseSuffixes(changes: [], lock: "/", others: [])
    let headerBytes = 0

    func layout(ofHeader bytes: [UInt8]) -> DatabaseLayout? { nil }

    func checkLink(_ path: String) throws {}

    func checkOwner(of path: String) throws {}

    func isInUse(_ path: String) -> Bool { false }

    func hasHistory(_ path: String) throws -> Bool { throw PostgreSQLEngine.unsupported }

    func canUse(_ path: String) -> Bool { false }

    func verify(_ path: String, as name: String, isReplacement: Bool) throws -> Int64 {
        throw PostgreSQLEngine.unsupported
    }

    func beginReplacement() throws -> any DatabaseFileReplacement {
        throw PostgreSQLEngine.unsupported
    }
}

/// The copier of a database that Humon can't copy.
private struct NoCopier: StorageCopier {
    func copy(to path: String, progress: (CopyStage) -> Void) throws -> CopyReport {
        throw PostgreSQLEngine.unsupported
    }

    func cancel() {}

    var isCancelled: Bool { false }
}

extension DatabaseOptions {
    /// Connects for a command.
    ///
    /// With `acceptsReadOnly`, the connection may be one to a standby if there is no primary.
    func connect(
        for purpose: ConnectionURL.Purpose = .administration,
        acceptsReadOnly: Bool
    ) throws -> BlockingConnection {
        try BlockingConnection(
            url: url,
            for: purpose,
            preparesStatements: preparesStatements,
            acceptsReadOnly: acceptsReadOnly
        )
    }
}

extension PostgreSQLError {
    /// Whether the database can't be reached now, and nothing needs to be mended in the settings.
    fileprivate var mayPass: Bool {
        if kind == .unknownOutcome { return true }
        return kind == .unreachable && state?.rejectsConfiguration != true && !isOfEncryption
    }
}
