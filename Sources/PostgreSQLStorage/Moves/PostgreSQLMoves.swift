import Events
import Glibc
import Model
import PostgreSQL
import Rules
import SharedStorage
import System

/// A PostgreSQL database in moves.
///
/// A target is filled in one transaction. The table `moves` exists until it is committed, and no
/// server serves a database with it.
struct PostgreSQLMoves: MovableDatabase {
    private let name: String
    private let migrator: PostgreSQLMigrator
    private let configuration: DatabaseOptions

    /// How often the locks of all tables are tried, and the pause in between in µs.
    private static let attempts = 30
    private static let pause: UInt32 = 200_000

    init(_ name: String, _ migrator: PostgreSQLMigrator, _ configuration: DatabaseOptions) {
        self.name = name
        self.migrator = migrator
        self.configuration = configuration
    }

    func isClosed() throws -> Bool {
        try !configuration.connect(acceptsReadOnly: false).perform(
            Command(MoveControlStatements.closedTables)
        ).isEmpty
    }

    func reopen() throws {
        let connection = try configuration.connect(acceptsReadOnly: false)
        try connection.transaction {
            try takeLock(on: connection)
            if case .unfinished(let source) = try state(on: connection) {
                throw OperatorError.unfinishedMove(source)
            }
            try change(connection, with: MoveScripts.accept)
        }
    }

    func makeReader() throws -> any MovedRecords {
        let connection = try configuration.connect(acceptsReadOnly: true)
        try connection.perform(Command(StorageStatements.beginSnapshot))
        return PostgreSQLMovedRecords(connection)
    }

    func makeSource() throws -> any MovedRecords {
        // A standby can lack recent changes.
        let connection = try configuration.connect(acceptsReadOnly: false)
        try connection.perform(Command(StorageStatements.begin))
        try connection.performScript(MoveScripts.watchConnection)
        try takeLock(on: connection)
        // The triggers look for the lock, so that they end with this process.
        let other = try configuration.connect(acceptsReadOnly: false)
        try other.transaction { try change(other, with: MoveScripts.rejectWhileMoving) }
        return PostgreSQLMovedRecords(connection) {
            try change(connection, with: MoveScripts.reject)
            try connection.perform(Command(MoveControlStatements.commit))
        }
    }

    func moveState() throws -> MoveState {
        let connection = try configuration.connect(acceptsReadOnly: true)
        let isMigrated = try migrator.status(on: connection).allSatisfy { $0.appliedAt != nil }
        return isMigrated ? try state(on: connection) : .empty
    }

    private func state(on connection: BlockingConnection) throws -> MoveState {
        guard try connection.perform(Command(MoveControlStatements.findMoves)).isEmpty else {
            let rows = try connection.perform(Command(MoveControlStatements.source))
            return .unfinished(source: try rows.first?.text(0) ?? "another database")
        }
        return try PostgreSQLMovedRecords(connection).isEmpty() ? .empty : .filled
    }

    func makeTarget(for source: String) throws -> any MovedRecords {
        _ = try migrator.migrate()
        let connection = try configuration.connect(acceptsReadOnly: false)
        try connection.transaction {
            try change(connection, with: MoveScripts.reject)
            guard try state(on: connection) != .filled else { throw OperatorError.filledTarget }
            try connection.perform(Command(MoveControlStatements.createMoves))
            try connection.perform(Command(MoveControlStatements.setSource, [.text(source)]))
        }
        try connection.perform(Command(StorageStatements.begin))
        try change(connection, with: MoveScripts.accept)
        // Another process may have finished a move since then.
        guard case .unfinished = try state(on: connection) else { throw OperatorError.filledTarget }
        try connection.perform(Command(MoveControlStatements.logOneChange))
        try connection.perform(Command(MoveControlStatements.empty))
        try connection.perform(
            Command(SharedSQL.renewLog.postgresql, [.text(LogPosition.newIdentity())])
        )
        return PostgreSQLMovedRecords(connection) {
            try connection.perform(Command(MoveControlStatements.dropMoves))
            try connection.perform(Command(MoveControlStatements.commit))
            // Otherwise the server does it later.
            _ = try? connection.perform(Command(MoveControlStatements.analyze))
        }
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

    /// Waits in an open transaction for all writes to the tables, and runs a script that makes
    /// them reject or accept the later ones.
    ///
    /// Each wait is short, because later writes wait behind it.
    private func change(_ connection: BlockingConnection, with script: String) throws {
        try connection.perform(Command(MoveControlStatements.limitWait))
        var attempt = 1
        while true {
            try connection.perform(Command(StorageStatements.savepoint))
            do {
                try connection.perform(Command(MoveControlStatements.lockTables))
                return try connection.performScript(script)
            } catch {
                // Others have held the locks, or have waited for this transaction.
                guard error.state == .lockNotAvailable || error.state?.invitesRepetition == true,
                    attempt < Self.attempts
                else { throw error }
                try connection.perform(Command(StorageStatements.rollbackToSavepoint))
                attempt += 1
                usleep(Self.pause)
            }
        }
    }
}
