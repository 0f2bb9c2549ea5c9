import Events
import Model
import PostgreSQL
import Rules
import System
import Time

/// The log of changes in a PostgreSQL database: how it is written, read and pruned.
final class PostgreSQLLog: Sendable {
    /// The two ways to write the log.
    enum Writing: Sendable {
        /// Triggers write the changes of every program.
        case byTriggers
        /// The server writes its own changes, because the engine lacks what the triggers need.
        case byServer
    }

    private let migrator: PostgreSQLMigrator
    private let observe: @Sendable (StorageEvent) -> Void
    /// Whether servers notify each other.
    private let hasOtherServers: Bool
    /// The name of this server in notifications.
    let name = LogPosition.newIdentity()
    private let state = Mutex(State())

    private struct State {
        var writing: Writing?
        /// Whether the role can send notifications.
        var canNotify = false
        /// Whether connections can receive them.
        var canListen = false
        /// Why the triggers could not be created the last time.
        var cause: String?

        /// Notes what the role of a connection can do.
        ///
        /// A pooler would leave a subscription behind, and give what arrives to others.
        mutating func noteNotifications(on connection: BlockingConnection) throws {
            let rows = try connection.perform(Command(LogTriggerStatements.notifications))
            canNotify = try rows.first?.optionalBoolean(1) ?? false
            canListen = try rows.first?.bigint(0) == connection.reportedProcessID
        }
    }

    /// Creates a value for a log that `prepare` looks at.
    ///
    /// - Parameters:
    ///   - migrator: The database.
    ///   - hasOtherServers: Whether other servers use the database and get notifications.
    ///   - observe: Called if the triggers can't be created.
    init(
        _ migrator: PostgreSQLMigrator,
        hasOtherServers: Bool = false,
        observe: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) {
        self.migrator = migrator
        self.hasOtherServers = hasOtherServers
        self.observe = observe
    }

    /// How the log is written; nil until that is known.
    var writing: Writing? { state.withLock { $0.writing } }

    /// The reason why the triggers could not be created; nil if the log is written.
    var cause: String? { state.withLock { $0.writing == nil ? $0.cause : nil } }

    /// Creates the triggers unless they exist or the engine lacks what they need.
    ///
    /// Call it once the database is migrated.
    ///
    /// - Throws: `PostgreSQLError` if the database can't be reached.
    func prepare() throws {
        do {
            let found = try migrator.withConnection { connection in
                var state = State(writing: try Self.found(on: connection) ?? created())
                if state.writing == .byServer {
                    try connection.perform(Command(LogStatements.continueNumbers))
                } else if hasOtherServers {
                    try state.noteNotifications(on: connection)
                }
                return state
            }
            state.withLock { $0 = found }
        } catch let error as PostgreSQLError where error.kind == .rejected {
            let isNew = state.withLock { state in
                defer { state = State(writing: nil, cause: error.message) }
                return state.cause != error.message
            }
            if isNew { observe(.eventsNotKept(cause: error.message)) }
        }
    }

    /// Returns how the log of this connection's database is written; nil if it has no triggers yet.
    private static func found(on connection: BlockingConnection) throws -> Writing? {
        guard try isPostgreSQL(connection) else { return .byServer }
        return try hasTriggers(connection) ? .byTriggers : nil
    }

    private func created() throws -> Writing {
        do {
            try migrator.withLock { connection in
                // Another server may have been quicker.
                if try Self.hasTriggers(connection) { return }
                try connection.perform(Command(LogTriggerStatements.lock))
                try connection.perform(Self.identifyCommand)
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
    /// The command that reads the position, whose result requests of a batch share.
    var positionCommand: Command {
        Command(
            shared: isWrittenByServer ? LogStatements.position : LogTriggerStatements.position,
            []
        )
    }

    /// Returns the command that reads the changes of events after a number.
    ///
    /// Requests of the same batch share its result.
    func eventsCommand(after number: Int64, limit: Int) -> Command {
        Command(
            shared: isWrittenByServer ? LogStatements.events : LogTriggerStatements.events,
            // One more tells whether there are more.
            [.bigint(number), .bigint(Int64(limit) + 1)]
        )
    }

    /// Returns the notifications that servers send each other; `receive` is called on any thread
    /// for those of others.
    func notifications(_ receive: @escaping @Sendable () -> Void) -> Notifications {
        Notifications(
            subscription: { [self] in
                state.withLock(\.canListen) ? Command(LogTriggerStatements.listen) : nil
            },
            sending: { [self] in notification },
            receive: { [name] names in
                if names.contains(where: { $0 != name }) { receive() }
            }
        )
    }

    /// The command that notifies other servers of a transaction; nil if there are none, or if that
    /// is not possible.
    var notification: Command? {
        state.withLock(\.canNotify) ? Command(LogTriggerStatements.notify, [.text(name)]) : nil
    }

    /// The notes that the writer stores in the log, on engines without the triggers.
    var notes: WriteNotes {
        WriteNotes(
            areNeeded: { [self] in isWrittenByServer },
            command: { ChangeNote.command($0, now: Timestamp.now().milliseconds) }
        )
    }

    /// Whether the server writes its own changes to the log.
    var isWrittenByServer: Bool { writing == .byServer }

    /// The command that gives the log an identity if it has none.
    static var identifyCommand: Command {
        Command(LogStatements.identify, [.text(LogPosition.newIdentity())])
    }

    /// Returns the command that deletes some of the oldest changes that need not be retained.
    ///
    /// It returns their number.
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
    /// Creates a position from three columns of a row, which begin with this one.
    init(_ row: Row, from column: Int = 0) throws {
        try self.init(
            log: row.text(column + 2),
            number: row.bigint(column),
            floor: row.bigint(column + 1)
        )
    }
}

extension LoggedEvents {
    private static let columns = Table.events.columns.count

    /// Returns the latest position of the log in the rows of a command; nil without an identity.
    static func latestPosition(in rows: Rows) throws -> LogPosition? {
        try rows.first.map { try LogPosition($0, from: columns + 2) }
    }

    /// Creates the changes from the rows of a command; nil if they can't be known, or if it is
    /// quicker to load all events.
    ///
    /// `limit` is that of the command. Without `withContents`, they have no contents.
    init?(
        _ rows: Rows,
        after known: LogPosition,
        limit: Int,
        _ representation: EventRepresentation,
        withContents: Bool
    ) throws {
        guard let latest = try Self.latestPosition(in: rows),
            Self.canBeRead(from: known, to: latest)
        else { return nil }
        var changes: [EventChange] = []
        var users: [KnownUser] = []
        var number = latest.number
        for row in rows.prefix(limit) where try !row.isNull(Self.columns) {
            // All events may have changed.
            guard let id = try row.optionalBigint(Self.columns + 1) else { return nil }
            if try !row.isNull(Self.columns + 5) {
                users.append(try KnownUser(row, from: Self.columns + 5))
            } else {
                changes.append(
                    try row.isNull(0)
                        ? EventChange(id: id, content: nil)
                        : EventChange(try Event(row), representation, withContent: withContents)
                )
            }
            if rows.count > limit { number = try row.bigint(Self.columns) }
        }
        self.init(
            changes,
            users: users,
            at: LogPosition(log: latest.log, number: number, floor: latest.floor),
            areAll: rows.count <= limit
        )
    }
}

extension KnownUser {
    /// Creates a user from four columns of a row, which begin with this one.
    init(_ row: Row, from column: Int) throws {
        self.init(
            id: try row.bigint(column),
            name: try row.optionalText(column + 1),
            tokens: try row.optionalText(column + 3),
            blocked: try row.optionalText(column + 2)
        )
    }
}

extension PostgreSQLError {
    /// Whether the engine lacks what the triggers need, or the role may not use the lock.
    fileprivate var lacksTriggers: Bool {
        guard kind == .rejected, let state else { return false }
        if sql == "\(LogTriggerStatements.lock)" { return state.meansUnsupported }
        // Another error of class 42 means that another program has changed the tables.
        return state.classCode == "0A" || state == .unknownFunction || state == .syntaxError
    }
}
