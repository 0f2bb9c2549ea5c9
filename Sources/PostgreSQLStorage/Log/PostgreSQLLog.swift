import Model
import PostgreSQL
import System

/// The log of changes in a PostgreSQL database: how it is written, read and pruned.
final class PostgreSQLLog: Sendable {
    /// The two ways to write the log.
    enum Writing: Sendable {
        /// Triggers write the changes of every program.
        case byTriggers
        /// The server writes its own changes, because the engine lacks what the triggers need.
        case byServer
    }

    private let migrator: Migrator
    private let preferred: Writing
    private let state = Mutex<Writing?>(nil)

    /// Creates a value for a log that `prepare` looks at.
    ///
    /// - Parameters:
    ///   - migrator: The database.
    ///   - preferred: How to write a log without triggers if the engine allows both.
    init(_ migrator: Migrator, preferred: Writing = .byTriggers) {
        self.migrator = migrator
        self.preferred = preferred
    }

    /// How the log is written; nil until that is known.
    var writing: Writing? { state.withLock { $0 } }

    /// Creates the triggers unless they exist or the engine lacks what they need.
    ///
    /// Call it once the database is migrated.
    ///
    /// - Throws: `PostgreSQLError` if the database can't be reached, or if the role may not create
    ///   triggers.
    func prepare() throws {
        let found = try migrator.withConnection { connection -> Writing? in
            guard try Self.isPostgreSQL(connection) else { return .byServer }
            if try Self.hasTriggers(connection) { return .byTriggers }
            return preferred == .byServer ? .byServer : nil
        }
        let writing = try found ?? create()
        state.withLock { $0 = writing }
    }

    private func create() throws -> Writing {
        do {
            try migrator.withLock { connection in
                // Another server may have been quicker.
                if try Self.hasTriggers(connection) { return }
                try connection.performScript(LogTriggerStatements.create)
            }
            return .byTriggers
        } catch let error as PostgreSQLError where error.lacksTriggers {
            return .byServer
        }
    }

    /// Returns whether the engine is PostgreSQL itself; others may misunderstand the triggers.
    private static func isPostgreSQL(_ connection: BlockingConnection) throws -> Bool {
        let rows = try connection.perform(Command(StorageStatements.version))
        let version = try rows.first?.text(0) ?? "unknown"
        return version.hasPrefix("PostgreSQL ") && !version.contains("-YB-")
    }

    private static func hasTriggers(_ connection: BlockingConnection) throws -> Bool {
        try !connection.perform(Command(LogTriggerStatements.find)).isEmpty
    }
}

extension PostgreSQLLog {
    /// Returns the command that reads the position, whose result requests of a batch share.
    var positionCommand: Command {
        Command(
            shared: writing == .byServer ? LogStatements.position : LogTriggerStatements.position,
            []
        )
    }

    /// Returns the command that reads the changes after a number.
    static func changesCommand(after number: Int64, limit: Int) -> Command {
        Command(LogStatements.changes, [.bigint(number), .bigint(Int64(limit))])
    }

    /// Returns the command that deletes some of the oldest changes that need not be retained, and
    /// returns their number.
    static func pruneCommand(_ retention: LogRetention, now: Int64) -> Command {
        Command(
            LogStatements.prune,
            [
                .bigint(retention.rowsAtOnce), .bigint(max(1, retention.mostRows)),
                .bigint(max(1, retention.leastRows)), .bigint(now - retention.milliseconds),
            ]
        )
    }
}

extension LogPosition {
    /// Creates a position from the first three columns of a row.
    init(_ row: Row) throws {
        try self.init(log: row.text(2), number: row.bigint(0), floor: row.bigint(1))
    }
}

extension LoggedChange {
    /// Creates a change from a row of `LogStatements.changes`.
    init(_ row: Row) throws {
        try self.init(
            number: row.bigint(0),
            kind: row.bigint(1),
            recordID: row.optionalBigint(2),
            userID: row.optionalBigint(3),
            eventID: row.optionalBigint(4),
            wasPublic: row.optionalBoolean(5),
            latitude: row.optionalDouble(6),
            longitude: row.optionalDouble(7),
            changedAt: row.bigint(8)
        )
    }
}

extension PostgreSQLError {
    /// Whether the engine lacks what the triggers need.
    fileprivate var lacksTriggers: Bool {
        kind == .rejected && state != .missingRight && state?.meansUnsupported == true
    }
}
