import Glibc
import Model
import PostgreSQL
import System

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
    /// A move must read its source on the primary, because a standby can lack recent changes.
    private func connect(acceptsReadOnly: Bool = false) throws -> BlockingConnection {
        try configuration.connect(acceptsReadOnly: acceptsReadOnly)
    }

    func prepareSource() throws {}

    func isClosed() throws -> Bool {
        try !connect().perform(Command(MoveControlStatements.closedTables)).isEmpty
    }

    func reopen() throws {
        let connection = try connect()
        try connection.transaction {
            try takeLock(on: connection)
            guard try connection.perform(Command(MoveControlStatements.findMoves)).isEmpty else {
                throw OperatorError(
                    """
                    \(name) is the target of a move that is not finished, so it can't be opened. \
                    Move again, or create another database.
                    """
                )
            }
            try Self.lockTables(on: connection)
            try connection.performScript(MoveScripts.accept)
        }
    }

    func makeSource() throws -> any MoveSource {
        let connection = try connect()
        try checkMigrations(on: connection)
        try connection.perform(Command(StorageStatements.begin))
        try connection.performScript(MoveScripts.watchConnection)
        try takeLock(on: connection)
        // The triggers look for the lock, so that they end with this process.
        let other = try connect()
        try other.transaction {
            try Self.lockTables(on: other)
            try other.performScript(MoveScripts.rejectWhileMoving)
        }
        return PostgreSQLMoveSource(connection)
    }

    func makeReader() throws -> any MoveReader {
        let connection = try connect(acceptsReadOnly: true)
        try checkMigrations(on: connection)
        try connection.perform(Command(StorageStatements.beginSnapshot))
        return PostgreSQLMoveReader(connection)
    }

    func moveState() throws -> MoveState {
        let connection = try connect(acceptsReadOnly: true)
        let isMigrated = try migrator.status(on: connection).allSatisfy { $0.appliedAt != nil }
        return isMigrated ? try PostgreSQLMoveTarget.state(on: connection) : .empty
    }

    func makeTarget(for source: String) throws -> any MoveTarget {
        _ = try migrator.migrate()
        let target = PostgreSQLMoveTarget(try connect())
        try target.begin(source)
        return target
    }

    private func checkMigrations(on connection: BlockingConnection) throws {
        let missing = try migrator.status(on: connection).first { $0.appliedAt == nil }
        if let missing { throw OperatorError.missing(missing.name, in: name, url: "URL") }
    }

    /// Takes the lock of moves from this database, until the end of the transaction.
    private func takeLock(on connection: BlockingConnection) throws {
        try connection.perform(Command(MoveControlStatements.limitWait))
        do {
            try connection.perform(Command(MoveControlStatements.takeLock))
        } catch {
            guard error.state == .lockNotAvailable else { throw error }
            throw OperatorError.moveIsRunning(name)
        }
    }

    /// Waits in an open transaction for all writes to the tables, and keeps others waiting.
    ///
    /// Each wait is short, because later writes wait behind it.
    static func lockTables(on connection: BlockingConnection) throws {
        try connection.perform(Command(MoveControlStatements.limitWait))
        var attempt = 1
        while true {
            try connection.perform(Command(StorageStatements.savepoint))
            do {
                try connection.perform(Command(MoveControlStatements.lockTables))
                return
            } catch {
                guard error.isOfLocks, attempt < attempts else { throw error }
                try connection.perform(Command(StorageStatements.rollbackToSavepoint))
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
