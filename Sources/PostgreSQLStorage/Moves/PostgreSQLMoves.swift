import Glibc
import System
import Model
import PostgreSQL

/// The records of a PostgreSQL database, for moves.
struct PostgreSQLMoves: MovableDatabase {
    private let name: String
    private let migrator: PostgreSQLMigrator
    private let configuration: DatabaseOptions

    /// How often the locks of all tables are tried, and the pause in between in µs.
    private static let attempts = 30
    private static let pause: UInt32 = 200_000

    init(
        name: String,
        _ migrator: PostgreSQLMigrator,
        _ configuration: DatabaseOptions
    ) {
        self.name = name
        self.migrator = migrator
        self.configuration = configuration
    }

    /// Connects to the primary, or with `acceptsReadOnly` to a standby if there is no primary.
    ///
    /// A move must compare its target with the primary, because a standby can lack recent changes.
    private func connect(acceptsReadOnly: Bool = false) throws -> BlockingConnection {
        try configuration.connect(acceptsReadOnly: acceptsReadOnly)
    }

    /// Throws unless the database accepts writes, because a move could not close it otherwise.
    func prepareSource() throws { _ = try connect() }

    func identity() throws -> String {
        let connection = try connect(acceptsReadOnly: true)
        let missing = try migrator.status(on: connection).first { $0.appliedAt == nil }
        if let missing { throw OperatorError.missing(missing.name, in: name, url: "URL") }
        let history = try connection.perform(migrator.historyCommand)
        return try history.reduce(name) { text, row in
            try text + "\n\(row.text(0)) \(row.text(1)) \(row.bigint(2))"
        }
    }

    func isClosed() throws -> Bool { try Self.isClosed(on: connect()) }

    private static func isClosed(on connection: BlockingConnection) throws -> Bool {
        try triggers(on: connection).values.contains(true)
    }

    /// The names of the tables that were closed once, and whether they are now.
    private static func triggers(on connection: BlockingConnection) throws -> [String: Bool] {
        let rows = try connection.perform(Command(MoveControlStatements.triggers)).map { row in
            (try row.text(0), try row.boolean(1))
        }
        return Dictionary(rows) { $1 }
    }

    func close() throws {
        try Self.withTables(lockedOn: connect()) { connection in try Self.close(on: connection) }
    }

    func reopen() throws {
        try Self.withTables(lockedOn: connect()) { connection in
            guard try connection.perform(Command(MoveControlStatements.findMoves)).isEmpty else {
                throw OperatorError(
                    """
                    \(name) is the target of a move that is not finished, so it can't be opened. \
                    Finish the move, or create another database.
                    """
                )
            }
            try Self.open(on: connection)
        }
    }

    func makeReader(of content: MoveContent) throws -> any MoveReader {
        let connection = try connect(acceptsReadOnly: content == .snapshot)
        if content == .snapshot { try connection.perform(Command(StorageStatements.beginSnapshot)) }
        return PostgreSQLMoveReader(connection)
    }

    func moveState() throws -> MoveState {
        let connection = try connect(acceptsReadOnly: true)
        let isMigrated = try migrator.status(on: connection).allSatisfy { $0.appliedAt != nil }
        return isMigrated ? try PostgreSQLMoveTarget.state(on: connection) : .empty
    }

    func makeTarget(for source: MoveOrigin) throws -> any MoveTarget {
        _ = try migrator.migrate()
        let target = PostgreSQLMoveTarget(try connect())
        try target.begin(source)
        return target
    }

    /// Makes all tables reject writes; the caller has locked them.
    static func close(on connection: BlockingConnection) throws {
        try connection.perform(Command(MoveControlStatements.createFunction))
        let triggers = try triggers(on: connection)
        for table in MovedTable.allCases {
            let statements = MoveStatements.of(table)
            let hasTrigger = triggers[table.rawValue] != nil
            try connection.perform(
                Command(hasTrigger ? statements.closeAgain : statements.close)
            )
        }
    }

    /// Undoes `close`; the caller has locked the tables.
    static func open(on connection: BlockingConnection) throws {
        let triggers = try triggers(on: connection)
        for table in MovedTable.allCases where triggers[table.rawValue] == true {
            try connection.perform(Command(MoveStatements.of(table).reopen))
        }
    }

    /// Runs `body` in a transaction while nothing writes to the tables.
    ///
    /// The wait for running writes is short, because later writes wait behind it.
    static func withTables(
        lockedOn connection: BlockingConnection,
        _ body: (BlockingConnection) throws -> Void
    ) throws {
        var attempt = 1
        while true {
            do {
                return try connection.transaction {
                    try connection.perform(Command(MoveControlStatements.limitWait))
                    try connection.perform(Command(MoveControlStatements.lockTables))
                    try body(connection)
                }
            } catch {
                guard let error = error as? PostgreSQLError, error.isOfLocks,
                    attempt < attempts
                else { throw error }
                attempt += 1
                usleep(pause)
            }
        }
    }
}

extension PostgreSQLError {
    /// Whether others have held the locks, or have waited for this transaction.
    fileprivate var isOfLocks: Bool {
        state == .lockNotAvailable || state?.invitesRepetition == true
    }
}
