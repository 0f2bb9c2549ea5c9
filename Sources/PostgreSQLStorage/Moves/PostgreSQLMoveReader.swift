import Model
import PostgreSQL

/// Reads the rows of a PostgreSQL database for a move.
class PostgreSQLMoveReader: MoveReader {
    let connection: BlockingConnection

    /// Reads with this connection, which must not be used elsewhere.
    init(_ connection: BlockingConnection) {
        self.connection = connection
    }

    final func rows(of table: Table, after id: Int64, limit: Int) throws -> MovedRows {
        let rows = try connection.perform(
            Command(MoveStatements.of(table).rows, [.bigint(id), .limit(limit)])
        )
        var moved = MovedRows()
        for row in rows {
            moved.appendRow(id: try row.bigint(0)) { bytes in row.appendTuple(to: &bytes) }
        }
        return moved
    }

    final func count(of table: Table) throws -> Int {
        let rows = try connection.perform(Command(MoveStatements.of(table).count))
        return try rows.first.map { Int(try $0.bigint(0)) } ?? 0
    }

    final func nextID(of table: Table) throws -> Int64 {
        try connection.nextSequenceID(of: table)
    }

    final func installation() throws -> String {
        for row in try connection.perform(Command(InstallationStatements.find)) {
            return try row.text(0)
        }
        throw OperatorError.noInstallation
    }
}

/// Reads the rows of a PostgreSQL database that rejects writes as long as its transaction is open.
final class PostgreSQLMoveSource: PostgreSQLMoveReader, MoveSource {
    func close() throws {
        try PostgreSQLMoves.lockTables(on: connection)
        try connection.performScript(MoveScripts.reject)
        try connection.perform(Command(MoveControlStatements.commit))
    }
}

extension Table {
    /// The name of the sequence that generates the ids.
    var sequence: String { name + "_id_seq" }
}

extension BlockingConnection {
    /// Returns the next value of a table's sequence, even if a row already has this id.
    func nextSequenceID(of table: Table) throws -> Int64 {
        guard let row = try perform(Command(MoveStatements.of(table).nextID)).first else {
            throw OperatorError("The sequence \(table.sequence) is missing. Restore a backup.")
        }
        return try row.bigint(0)
    }
}
