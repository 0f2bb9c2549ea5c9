package import Events
package import Rules
package import System

/// A statement that SQLite and PostgreSQL understand, once its parameters are spelled for SQLite.
package struct SharedSQL: ExpressibleByStringLiteral, Sendable {
    package let postgresql: SQL
    package let sqlite: SQL

    /// Whether it stores a record, which needs more space on a disk than a change.
    package let addsRecord: Bool

    package init(stringLiteral text: String) { self.init(text) }

    /// Creates a statement that each engine needs in a form of its own.
    init(postgresql: SQL, sqlite: SQL) {
        (self.postgresql, self.sqlite, addsRecord) = (postgresql, sqlite, false)
    }

    /// Creates the statement as PostgreSQL takes it, with parameters such as `$1`.
    ///
    /// SQLite has one writer, so it needs no locks of rows. A list of integers is the first
    /// parameter, after `= ANY`. E-mail addresses are unique without regard to case in both. The
    /// conditions of SQLite's indexes compare with 0.
    init(_ text: String, addsRecord: Bool = false) {
        self.addsRecord = addsRecord
        postgresql = SQL(made: text)
        sqlite = SQL(
            made: text.replacing("= ANY($1)", with: "IN (SELECT value FROM json_each($1))")
                .replacing("$", with: "?").replacing(" FOR UPDATE", with: "")
                .replacing(" FOR KEY SHARE", with: "").replacing("lower(email)", with: "email")
                .replacing("= FALSE", with: "= 0")
        )
    }
}

/// A database whose transactions consist of statements that all engines understand.
package protocol SharedDatabase: Sendable {
    /// Runs `body` in a transaction, and returns its result once that is durable.
    ///
    /// If `body` throws, nothing is changed.
    func transaction<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T

    /// Runs `body`, which only reads.
    func read<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T

    /// Performs a query, and returns its rows with columns of these kinds.
    func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) async throws -> [SharedRow]

    /// Performs a query, and returns its records.
    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) async throws -> [Record]

    /// Performs statements in one transaction, and returns the first number of the first row of
    /// them all once their changes are durable.
    ///
    /// It takes PostgreSQL one round trip, and other than `transaction` no thread.
    func write(_ statements: [SharedWrite]) async throws -> Int64?

    /// Returns all events in memory, with every acknowledged write, once they are loaded.
    func events() async throws -> AllEvents

    /// Wakes requests that wait for changes.
    var changeSignal: ChangeSignal { get }

    /// How events are represented to clients.
    var representation: EventRepresentation { get }

    /// Whether all events are in memory, so that an owner's are found there.
    var searchesInMemory: Bool { get }
}

/// A transaction.
package protocol SharedSession {
    /// Performs a statement, and returns its rows with columns of these kinds.
    func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) throws -> [SharedRow]

    /// Performs a query, and returns its records.
    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) throws -> [Record]

    /// Deletes those of some events that a user owns, with their attendances.
    func deleteEvents(_ ids: [Int64], ofOwner owner: Int64) throws

    /// Gives those of some events that a user owns to another user.
    func moveEvents(_ ids: [Int64], ofOwner owner: Int64, to other: Int64) throws

    /// Notes a change for the log, on engines without the triggers.
    func note(_ change: LoggedChange) throws
}

/// A change as the log has it.
package enum LoggedChange: Sendable {
    case newEvent(Int64, owner: Int64)
    case event(Int64, owner: Int64, wasHidden: Bool)
    case attendance(Int64, user: Int64, event: Int64)
    case block(of: Int64, by: Int64)
    case user(Int64)
    /// The account is nil if it is unknown.
    case task(Int64, account: Int64?)
}

/// A statement that changes records, and returns at most numbers.
package struct SharedWrite: Sendable {
    package let sql: SharedSQL
    package let values: [SharedValue]
    /// The note of each row of the result, on engines without the triggers.
    package let note: WriteNote?

    init(_ sql: SharedSQL, _ values: [SharedValue], noting note: WriteNote? = nil) {
        (self.sql, self.values, self.note) = (sql, values, note)
    }
}

/// A note for the log of each row that a write returns, which begins with the id of the record.
package enum WriteNote: Sendable {
    case task(account: Int64)
    case attendance(user: Int64, event: Int64)
    /// The row also has the user, the kind of the record in the log, and the event.
    case endedAttendance
}

/// A value of a statement's parameter.
package enum SharedValue: Sendable {
    case integer(Int64)
    case integers([Int64])
    case text(String?)
    case bytes([UInt8])
    case value(of: Column, ColumnValue)
}

/// A row of a statement's result.
package struct SharedRow: Sendable {
    private(set) var values: [ColumnValue]

    package init(_ values: [ColumnValue]) {
        self.values = values
    }

    /// Returns an integer; nil for NULL.
    package func optionalInteger(_ column: Int) -> Int64? {
        if case .integer(let value) = self[column] { value } else { nil }
    }

    /// Returns an integer; 0 for NULL.
    func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

    /// Returns bytes; none for NULL.
    func bytes(_ column: Int) -> [UInt8] {
        if case .bytes(let value) = self[column] { value } else { [] }
    }

    /// Returns a floating-point number; nil for NULL.
    func optionalDouble(_ column: Int) -> Double? {
        if case .double(let value) = self[column] { value } else { nil }
    }

    /// Returns a text; nil for NULL.
    func optionalText(_ column: Int) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    /// Returns a text; an empty one for NULL.
    func text(_ column: Int) -> String { optionalText(column) ?? "" }

    private(set) subscript(column: Int) -> ColumnValue {
        get { values.indices.contains(column) ? values[column] : .null }
        set { if values.indices.contains(column) { values[column] = newValue } }
    }

    /// The value of a column, if the row begins with all columns of the table.
    subscript(column: some TableColumns) -> ColumnValue {
        get { self[column.rawValue] }
        set { self[column.rawValue] = newValue }
    }
}

extension SharedRow: TableRow {
    package func integer(_ column: some TableColumns) -> Int64 { integer(column.rawValue) }

    package func optionalInteger(_ column: some TableColumns) -> Int64? {
        optionalInteger(column.rawValue)
    }

    package func double(_ column: some TableColumns) -> Double { optionalDouble(column) ?? 0 }

    package func optionalDouble(_ column: some TableColumns) -> Double? {
        optionalDouble(column.rawValue)
    }

    package func text(_ column: some TableColumns) -> String { text(column.rawValue) }

    package func optionalText(_ column: some TableColumns) -> String? {
        optionalText(column.rawValue)
    }

    package func boolean(_ column: some TableColumns) -> Bool { self[column] == .boolean(true) }

    package func text<Columns: TableColumns>(after columns: Columns.Type) -> String {
        text(columns.allCases.count)
    }
}

extension SharedSession {
    /// Stores rows with the values of all columns of a table.
    func insert(_ rows: [[ColumnValue]], by insertion: RowInsertion) throws {
        var rest = rows[...]
        while !rest.isEmpty {
            let isFull = rest.count >= RowInsertion.several
            let part = rest.prefix(isFull ? RowInsertion.several : 1)
            rest = rest.dropFirst(part.count)
            let columns = insertion.columns
            let values = part.flatMap { row in
                zip(columns, row).map { SharedValue.value(of: $0, $1) }
            }
            _ = try self.rows(isFull ? insertion.ofSeveral : insertion.ofOne, values, [])
        }
    }
}
