import Model
import PostgreSQL

/// Writes the rows of a move to a PostgreSQL database, in one transaction.
///
/// The table `moves` exists until it is committed, and no server serves a database with it.
final class PostgreSQLMoveTarget: PostgreSQLMoveReader, MoveTarget {
    /// Returns the state as a target.
    static func state(on connection: BlockingConnection) throws -> MoveState {
        guard try connection.perform(Command(MoveControlStatements.findMoves)).isEmpty else {
            let rows = try connection.perform(Command(MoveControlStatements.source))
            return .unfinished(source: try rows.first?.text(0) ?? "another database")
        }
        return try PostgreSQLMoveReader(connection).isEmpty() ? .empty : .filled
    }

    /// Closes the database for everything else, and begins the transaction.
    func begin(_ source: String) throws {
        try connection.transaction {
            try PostgreSQLMoves.lockTables(on: connection)
            guard try Self.state(on: connection) != .filled else {
                throw OperatorError.filledTarget
            }
            try connection.perform(Command(MoveControlStatements.createMoves))
            try connection.perform(Command(MoveControlStatements.setSource, [.text(source)]))
            try connection.performScript(MoveScripts.reject)
        }
        try connection.perform(Command(StorageStatements.begin))
        try PostgreSQLMoves.lockTables(on: connection)
        guard case .unfinished = try Self.state(on: connection) else {
            throw OperatorError.filledTarget
        }
        try connection.performScript(MoveScripts.accept)
        try connection.perform(Command(MoveControlStatements.empty))
    }

    func append(_ rows: MovedRows, to table: Table) throws {
        try connection.copy(Command(MoveStatements.of(table).copy), rows.bytes[...])
    }

    func setNextID(_ id: Int64, of table: Table) throws {
        try connection.perform(
            Command(SequenceStatements.setNextID, [.text(table.sequence), .bigint(id)])
        )
    }

    func setInstallation(_ uuid: String) throws {
        try connection.perform(Command(InstallationStatements.store, [.text(uuid)]))
    }

    func finish() throws {
        try connection.perform(Command(MoveControlStatements.dropMoves))
        try connection.perform(Command(MoveControlStatements.commit))
        // Otherwise the server does it later.
        _ = try? connection.perform(Command(MoveControlStatements.analyze))
    }
}
