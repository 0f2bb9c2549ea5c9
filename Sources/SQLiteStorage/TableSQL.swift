import Model
import SQLite

extension SQL {
    /// Makes an INSERT of all columns of a table; an id of NULL is the next one.
    init(insertingInto table: Table, _ clauses: String = "") {
        self.init(
            made: """
                INSERT INTO \(table.name) (\(table.list))
                VALUES (\(table.columns.parameters("?"))) \(clauses)
                """
        )
    }

    /// Makes a SELECT of all columns of a table, with clauses such as `WHERE id = ?`.
    init(selectingFrom table: Table, _ clauses: String) {
        self.init(made: "SELECT \(table.list) FROM \(table.name) \(clauses)")
    }
}

extension Connection {
    /// Stores a row with the values of all columns, and returns its id.
    func insert(_ sql: SQL, _ values: [ColumnValue]) throws(SQLiteError) -> Int64 {
        try run(sql, values: values.map(\.bound))
        return lastInsertRowID
    }
}

extension ColumnValue {
    /// The value as a parameter of a statement.
    var bound: Value {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .double(let number): .real(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .blob(bytes)
        // SQLite stores 1 or 0 (<https://sqlite.org/datatype3.html>, section 2.1).
        case .boolean(let boolean): .integer(boolean ? 1 : 0)
        }
    }
}

extension Row: TableRow {
    borrowing func integer(at position: Int) -> Int64 {
        int64(Int32(truncatingIfNeeded: position))
    }

    borrowing func optionalInteger(at position: Int) -> Int64? {
        optionalInt64(Int32(truncatingIfNeeded: position))
    }

    borrowing func double(at position: Int) -> Double {
        double(Int32(truncatingIfNeeded: position))
    }

    borrowing func optionalDouble(at position: Int) -> Double? {
        optionalDouble(Int32(truncatingIfNeeded: position))
    }

    borrowing func text(at position: Int) -> String { text(Int32(truncatingIfNeeded: position)) }

    borrowing func optionalText(at position: Int) -> String? {
        optionalText(Int32(truncatingIfNeeded: position))
    }

    borrowing func boolean(at position: Int) -> Bool { integer(at: position) != 0 }
}
