import PostgreSQL
import Rules
import System

extension SQL {
    /// Makes a SELECT of all columns of a table, with clauses such as `WHERE id = $1`.
    init(selectingFrom table: Table, _ clauses: String) {
        self.init(made: "SELECT \(table.list) FROM \(table.name) \(clauses)")
    }

    /// Makes an INSERT of all columns that stores the row if its id is free, and returns the id.
    ///
    /// An id of NULL is the next one.
    init(importingInto table: Table) {
        let others = table.columns.dropFirst()
        self.init(
            made: """
                INSERT INTO \(table.name) (\(table.list))
                SELECT coalesce($1, nextval('\(table.name)_id_seq')),
                    \(others.parameters("$", from: 2))
                WHERE NOT EXISTS (SELECT 1 FROM \(table.name) WHERE id = $1)
                RETURNING id
                """
        )
    }
}

extension Column {
    /// Returns a value of the column as a parameter of a statement.
    func bound(_ value: ColumnValue) -> Value {
        switch value {
        case .integer(let integer): .bigint(integer)
        case .double(let number): .double(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .boolean(let boolean): .boolean(boolean)
        case .null:
            switch kind {
            case .integer: .bigint(nil)
            case .double: .double(nil)
            case .text: .text(nil)
            case .bytes: .bytes(nil)
            case .boolean: .boolean(nil)
            }
        }
    }
}

extension TableColumns {
    /// The parameter of the column in a statement whose first parameters are all columns.
    var parameter: String { "$\(rawValue + 1)" }
}

extension Table {
    /// Returns values of all columns as parameters of a statement.
    func bound(_ values: [ColumnValue]) -> [Value] { zip(columns, values).map { $0.bound($1) } }
}

extension Row: TableRow {
    func integer(_ column: some TableColumns) throws(PostgreSQLError) -> Int64 {
        try bigint(column.rawValue)
    }

    func optionalInteger(_ column: some TableColumns) throws(PostgreSQLError) -> Int64? {
        try optionalBigint(column.rawValue)
    }

    func double(_ column: some TableColumns) throws(PostgreSQLError) -> Double {
        try double(column.rawValue)
    }

    func optionalDouble(_ column: some TableColumns) throws(PostgreSQLError) -> Double? {
        try optionalDouble(column.rawValue)
    }

    func text(_ column: some TableColumns) throws(PostgreSQLError) -> String {
        try text(column.rawValue)
    }

    func optionalText(_ column: some TableColumns) throws(PostgreSQLError) -> String? {
        try optionalText(column.rawValue)
    }

    func boolean(_ column: some TableColumns) throws(PostgreSQLError) -> Bool {
        try optionalBoolean(column.rawValue) ?? false
    }

    func text<Columns: TableColumns>(
        after columns: Columns.Type
    ) throws(PostgreSQLError) -> String {
        try text(columns.allCases.count)
    }
}
