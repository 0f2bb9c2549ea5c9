import Rules
import SharedStorage
import SQLite
import System

extension SQL {
    /// Makes a SELECT of all columns of a table, with clauses such as `WHERE id = ?`.
    init(selectingFrom table: Table, _ clauses: String) {
        self.init(made: "SELECT \(table.list) FROM \(table.name) \(clauses)")
    }

    /// Makes an INSERT of all columns of a table; an id of NULL is the next one.
    init(insertingInto table: Table) {
        self.init(
            made: """
                INSERT INTO \(table.name) (\(table.list))
                VALUES (\(table.columns.parameters("?")))
                """
        )
    }
}

extension SQL {
    /// The condition that the user ?2, or anybody if that is NULL, can see a row of `events`.
    static let eventIsVisible = AttendanceStatements.eventIsVisible.replacing("$", with: "?")
}

extension Connection {
    /// Stores a row with the values of all columns, and returns its id.
    func insert(_ sql: SQL, _ values: [ColumnValue]) throws(SQLiteError) -> Int64 {
        addsRecords = true
        try run(sql, values: values.map(\.bound))
        return lastInsertRowID
    }
}

extension Value {
    /// Returns ids as an array in JSON, which `json_each` reads.
    static func list(of ids: [Int64]) -> Value {
        .text("[" + ids.map { String($0) }.joined(separator: ",") + "]")
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
    borrowing func integer(_ column: some TableColumns) -> Int64 { int64(column.index) }

    borrowing func optionalInteger(_ column: some TableColumns) -> Int64? {
        optionalInt64(column.index)
    }

    borrowing func double(_ column: some TableColumns) -> Double { double(column.index) }

    borrowing func optionalDouble(_ column: some TableColumns) -> Double? {
        optionalDouble(column.index)
    }

    borrowing func text(_ column: some TableColumns) -> String { text(column.index) }

    borrowing func optionalText(_ column: some TableColumns) -> String? {
        optionalText(column.index)
    }

    borrowing func boolean(_ column: some TableColumns) -> Bool { int64(column.index) != 0 }

    borrowing func text<Columns: TableColumns>(after columns: Columns.Type) -> String {
        text(Int32(clamping: columns.allCases.count))
    }
}

extension TableColumns {
    /// The position of the column as SQLite takes it.
    fileprivate var index: Int32 { Int32(truncatingIfNeeded: rawValue) }
}
