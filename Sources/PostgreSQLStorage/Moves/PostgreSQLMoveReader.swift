import Model
import PostgreSQL

/// Reads the rows of a PostgreSQL database for a move.
class PostgreSQLMoveReader: MoveReader {
    let connection: BlockingConnection

    /// Reads with this connection, which must not be used elsewhere.
    init(_ connection: BlockingConnection) {
        self.connection = connection
    }

    final func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        limit: Int
    ) throws -> MovedRows {
        let rows = try connection.perform(
            Command(
                MoveStatements.of(table).rows,
                [.bigint(id), .bigint(last), .limit(limit)]
            )
        )
        var moved = MovedRows()
        for row in rows {
            moved.appendRow(id: try row.bigint(0)) { bytes in row.appendTuple(to: &bytes) }
        }
        return moved
    }

    final func extent(of table: MovedTable) throws -> (count: Int64, greatestID: Int64) {
        for row in try connection.perform(Command(MoveStatements.of(table).extent)) {
            return (try row.bigint(0), try row.bigint(1))
        }
        return (0, 0)
    }

    final func nextID(of table: MovedTable) throws -> Int64 {
        let greatest = try extent(of: table).greatestID
        return max(try connection.nextSequenceID(of: table), greatest &+ 1)
    }

    final func installation() throws -> String {
        for row in try connection.perform(Command(InstallationStatements.find)) {
            return try row.text(0)
        }
        throw OperatorError.noInstallation
    }
}
