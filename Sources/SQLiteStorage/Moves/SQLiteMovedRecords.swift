import Model
import Rules
import SQLite
import System

/// The records of a SQLite database in a move, in one transaction.
final class SQLiteMovedRecords: MovedRecords {
    private let connection: () throws -> Connection
    private let end: () throws -> Void

    /// Uses this connection until `finish`, which calls `end`.
    init(
        _ connection: @escaping () throws -> Connection,
        end: @escaping () throws -> Void = {}
    ) {
        self.connection = connection
        self.end = end
    }

    func rows(of table: Table, after id: Int64, limit: Int) throws -> [[ColumnValue]] {
        let page = TableStatements.of(table).page
        return try connection().all(page, .integer(id), .integer(Int64(limit))) { row in
            row.values(of: table.columns)
        }
    }

    func count() throws -> Int {
        try connection().first(Self.count) { row in Int(row.int64(0)) } ?? 0
    }

    func nextID(of table: Table) throws -> Int64 {
        let latest = try connection().first(
            "SELECT seq FROM sqlite_sequence WHERE name = ?",
            .text(table.name)
        ) { row in row.int64(0) }
        return (latest ?? 0) &+ 1
    }

    func append(_ rows: [[ColumnValue]], to table: Table) throws {
        let connection = try connection()
        for row in rows { _ = try connection.insert(TableStatements.of(table).insert, row) }
        // Triggers have logged them. Nobody knows the new log, so its numbers can begin again.
        try connection.run("DELETE FROM changes")
    }

    func setNextID(_ id: Int64, of table: Table) throws {
        let connection = try connection()
        try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table.name))
        guard id > 1 else { return }
        try connection.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            .text(table.name),
            .integer(id &- 1)
        )
    }

    func finish() throws { try end() }

    private static let count = SQL(
        made: "SELECT "
            + Table.records.map { "(SELECT count(*) FROM \($0.name))" }.joined(separator: " + ")
    )
}

extension TableStatements {
    private static let moved = Dictionary(
        (Table.records + [.installation]).map { ($0.name, Self(of: $0)) }
    ) { $1 }

    /// Returns the statements of a table that moves.
    fileprivate static func of(_ table: Table) -> Self { moved[table.name] ?? Self(of: table) }
}

extension Row {
    /// Returns the values of all columns of its table.
    fileprivate borrowing func values(of columns: [Column]) -> [ColumnValue] {
        var values: [ColumnValue] = []
        values.reserveCapacity(columns.count)
        for column in columns {
            values.append(value(column.kind, at: Int32(clamping: values.count)))
        }
        return values
    }

    private borrowing func value(_ kind: ColumnKind, at column: Int32) -> ColumnValue {
        if isNull(column) { return .null }
        return switch kind {
        case .integer: .integer(int64(column))
        case .double: .double(orNull: double(column))
        case .text: .text(text(column))
        case .bytes: .bytes(blob(column))
        case .boolean: .boolean(int64(column) != 0)
        }
    }
}
