import Model
import SQLite

/// Reads the rows of a SQLite database for a move.
class SQLiteMoveReader: MoveReader {
    private var open: Connection?

    /// Reads with this connection.
    init(_ connection: Connection) {
        open = connection
    }

    /// The connection, until `closeConnection`.
    final var connection: Connection {
        get throws {
            guard let open else {
                throw SQLiteError(code: .misuse, message: "the connection is closed")
            }
            return open
        }
    }

    /// Closes the connection, unless others use it.
    final func closeConnection() {
        open = nil
    }

    final func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        limit: Int
    ) throws -> MovedRows {
        let columns = table.columns
        var moved = MovedRows()
        let values: [Value] = [.integer(id), .integer(last), .integer(Int64(limit))]
        try connection.rows(MoveStatements.of(table).rows, values: values) { row in
            moved.beginRow(columns: columns.count)
            var index: Int32 = 0
            for column in columns {
                row.append(column, at: index, to: &moved)
                index += 1
            }
            moved.endRow(id: row.int64(0))
            return .next
        }
        return moved
    }

    final func extent(of table: MovedTable) throws -> (count: Int64, greatestID: Int64) {
        try connection.first(MoveStatements.of(table).extent) { row in
            (row.int64(0), row.int64(1))
        } ?? (0, 0)
    }

    final func nextID(of table: MovedTable) throws -> Int64 {
        let latest = try connection.first(MoveStatements.latestID, .text(table.rawValue)) { row in
            row.int64(0)
        }
        return try max(latest ?? 0, extent(of: table).greatestID) &+ 1
    }

    final func installation() throws -> String {
        guard let uuid = try connection.installation() else { throw OperatorError.noInstallation }
        return uuid
    }
}

extension Row {
    /// Appends the value of a column to the row that was begun.
    fileprivate borrowing func append(
        _ type: ColumnKind,
        at column: Int32,
        to rows: inout MovedRows
    ) {
        if isNull(column) { return rows.appendNull() }
        switch type {
        case .integer: rows.append(value: int64(column))
        case .double: rows.append(value: double(column))
        case .text: rows.append(value: text(column))
        case .bytes: rows.append(value: blob(column))
        case .boolean: rows.append(value: int64(column) != 0)
        }
    }
}
