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

    final func rows(of table: Table, after id: Int64, limit: Int) throws -> MovedRows {
        var moved = MovedRows()
        let values: [Value] = [.integer(id), .integer(Int64(limit))]
        try connection.rows(MoveStatements.of(table).rows, values: values) { row in
            moved.beginRow(columns: table.columns.count)
            var index: Int32 = 0
            for column in table.columns {
                row.append(column.kind, at: index, to: &moved)
                index += 1
            }
            moved.endRow(id: row.int64(0))
            return .next
        }
        return moved
    }

    final func count(of table: Table) throws -> Int {
        try connection.first(MoveStatements.of(table).count) { row in Int(row.int64(0)) } ?? 0
    }

    final func nextID(of table: Table) throws -> Int64 {
        let latest = try connection.first(MoveStatements.latestID, .text(table.name)) { row in
            row.int64(0)
        }
        return (latest ?? 0) &+ 1
    }

    final func installation() throws -> String {
        guard let uuid = try connection.installation() else { throw OperatorError.noInstallation }
        return uuid
    }
}

/// Reads the rows of a SQLite database that rejects writes.
final class SQLiteMoveSource: SQLiteMoveReader, MoveSource {
    private let transaction: ExclusiveTransaction

    init(_ transaction: ExclusiveTransaction) throws {
        self.transaction = transaction
        try super.init(transaction.connection)
    }

    func close() throws {
        try connection.execute(script: SQLiteMoves.reopening + SQLiteMoves.closing)
        closeConnection()
        try transaction.commit()
    }

    deinit {
        // The transaction closes it under its lock.
        closeConnection()
    }
}

/// The statements of a move.
struct MoveStatements {
    /// The rows after an id, at most so many.
    let rows: SQL
    let count: SQL
    let insert: SQL

    private init(_ table: Table) {
        rows = SQL(
            made: "SELECT \(table.list) FROM \(table.name) WHERE id > ? ORDER BY id LIMIT ?"
        )
        count = SQL(made: "SELECT count(*) FROM \(table.name)")
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        insert = SQL(made: "INSERT INTO \(table.name) (\(table.list)) VALUES (\(marks))")
    }

    private static let all = Dictionary(Table.records.map { ($0.name, Self($0)) }) { $1 }

    /// Returns the statements of a table.
    static func of(_ table: Table) -> MoveStatements { all[table.name] ?? Self(table) }

    /// The id that the latest row of a table has got; no row if it has never had any.
    static let latestID: SQL = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    static let forgetLatestID: SQL = "DELETE FROM sqlite_sequence WHERE name = ?"
    static let setLatestID: SQL = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
    static let setInstallation: SQL = "UPDATE installation SET uuid = ? WHERE id = 1"
    /// The names of all tables.
    static let tables: SQL = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    /// The number of triggers that reject writes.
    static let closingTriggers: SQL = """
        SELECT count(*) FROM sqlite_schema
        WHERE type = 'trigger' AND name LIKE 'humon\\_closed\\_%' ESCAPE '\\'
        """
}

extension Row {
    /// Appends the value of a column to the row that was begun.
    fileprivate borrowing func append(
        _ kind: ColumnKind,
        at column: Int32,
        to rows: inout MovedRows
    ) {
        if isNull(column) { return rows.appendNull() }
        switch kind {
        case .integer: rows.append(value: int64(column))
        case .double: rows.append(value: double(column))
        case .text: rows.append(value: text(column))
        case .bytes: rows.append(value: blob(column))
        case .boolean: rows.append(value: int64(column) != 0)
        }
    }
}
