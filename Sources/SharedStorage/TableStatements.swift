import Model
package import Rules

/// A query for rows that begin with all columns of a table, which are records.
package struct RecordQuery<Record: TableRecord & Sendable>: Sendable {
    package let sql: SharedSQL

    init(_ sql: SharedSQL) {
        self.sql = sql
    }

    /// Makes the query with clauses such as `WHERE id = $1`.
    init(_ table: Table, _ clauses: String) {
        self.init(SharedSQL("SELECT \(table.list) FROM \(table.name) \(clauses)"))
    }
}

extension SharedDatabase {
    /// Performs a query, and returns its records.
    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: any SharedParameter...
    ) async throws -> [Record] {
        try await records(query, values.map(\.parameter))
    }

    /// Stores a record with a new id, and returns the id.
    func create(
        _ creation: RecordCreation,
        _ values: [ColumnValue],
        noting note: WriteNote? = nil
    ) async throws -> Int64 {
        let write = SharedWrite(creation.sql, creation.bound(values), noting: note)
        guard let id = try await self.write([write]) else { throw creation.missingID }
        return id
    }
}

extension SharedSession {
    /// Performs a query, and returns its records.
    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: any SharedParameter...
    ) throws -> [Record] {
        try records(query, values.map(\.parameter))
    }

    /// Stores a record with a new id, and returns the id.
    func create(_ creation: RecordCreation, _ values: [ColumnValue]) throws -> Int64 {
        let row = try rows(creation.sql, creation.bound(values), [.integer]).first
        guard let id = row?.optionalInteger(0) else { throw creation.missingID }
        return id
    }
}

/// The statement that stores a record with a new id.
struct RecordCreation: Sendable {
    let sql: SharedSQL
    private let table: Table

    init(in table: Table) {
        self.table = table
        let columns = table.columns.dropFirst()
        sql = SharedSQL(
            """
            INSERT INTO \(table.name) (\(columns.list)) VALUES (\(columns.parameters("$")))
            RETURNING id
            """,
            addsRecord: true
        )
    }

    /// Returns the parameters for the values of all columns, of which the id is left out.
    fileprivate func bound(_ values: [ColumnValue]) -> [SharedValue] {
        zip(table.columns, values).dropFirst().map { .value(of: $0, $1) }
    }

    fileprivate var missingID: ModelError {
        .storage(cause: "a new row of \(table.name) has no id")
    }
}

/// The statements that store rows of a table, made once: engines keep each text that they prepare.
struct RowInsertion: Sendable {
    /// The number of rows that one statement stores.
    static let several = 100

    let columns: [Column]
    let ofOne: SharedSQL
    let ofSeveral: SharedSQL

    init(into table: Table) {
        func sql(_ count: Int) -> SharedSQL {
            let tuples = (0..<count).map { row in
                "(\(table.columns.parameters("$", from: row * table.columns.count + 1)))"
            }
            return SharedSQL(
                """
                INSERT INTO \(table.name) (\(table.list))
                VALUES \(tuples.joined(separator: ", "))
                """
            )
        }
        columns = table.columns
        ofOne = sql(1)
        ofSeveral = sql(Self.several)
    }
}
