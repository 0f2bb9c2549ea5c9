/// The type of a column's values, which each engine stores as the SQL type of its own.
package enum ColumnKind: Sendable {
    case integer, double, text, bytes, boolean
}

/// A value of a column.
package enum ColumnValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case boolean(Bool)
}

/// A column of a table, which has the same name on all engines.
package struct Column: Equatable, Sendable {
    package let name: String
    package let kind: ColumnKind
    /// Whether the column can be NULL.
    package let isOptional: Bool
    /// Whether its integers are times in ms since 1970-01-01T00:00:00Z.
    package let isTime: Bool
    /// The maximum length of a text, in characters.
    package let maximumLength: Int

    package init(
        _ name: String,
        _ kind: ColumnKind,
        isOptional: Bool = false,
        isTime: Bool = false,
        maximumLength: Int = 255
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.isTime = isTime
        self.maximumLength = maximumLength
    }
}

/// A table with its columns in the order of all statements; the first is the key.
package struct Table: Equatable, Sendable {
    package let name: String
    package let columns: [Column]

    /// Creates the table of the columns that an enumeration declares.
    private init<Columns: TableColumns>(_ name: String, _ columns: Columns.Type) {
        self.init(name: name, columns: columns.allCases.map(\.column))
    }

    private init(name: String, columns: [Column]) {
        self.name = name
        self.columns = columns
    }

    /// The names of the columns, separated by commas.
    package var list: String { columns.list }

    /// Returns the names of the columns after an alias of the table, separated by commas.
    package func list(of alias: String) -> String {
        columns.map { "\(alias).\($0.name)" }.joined(separator: ", ")
    }

    /// The tables of the records, each after those to which its rows refer.
    package static let records: [Table] = [
        .users, .events, .attendances, .sharedTasks, .checkins, .accounts, .sessions, .todoTasks,
    ]

    /// The tables of the records that people have made.
    package static let dated = records.filter { $0 != sessions }

    package static let users = Table(
        name: "users",
        columns: [
            Column("id", .integer), Column("token_digest", .bytes, isOptional: true),
            Column("created_at", .integer),
        ]
    )
    package static let events = Table("events", EventColumn.self)
    package static let attendances = Table("attendances", AttendanceColumn.self)
    package static let sharedTasks = Table("shared_tasks", SharedTaskColumn.self)
    package static let checkins = Table("checkins", CheckinColumn.self)
    package static let accounts = Table("accounts", AccountColumn.self)
    package static let sessions = Table(
        name: "sessions",
        columns: [
            Column("id", .integer), Column("account_id", .integer), Column("token_digest", .bytes),
            Column("created_at", .integer),
        ]
    )
    package static let todoTasks = Table("todo_tasks", TodoTaskColumn.self)
    package static let installation = Table(
        name: "installation",
        columns: [Column("id", .integer), Column("uuid", .text)]
    )
}

extension Collection<Column> {
    /// The names, separated by commas.
    package var list: String { map(\.name).joined(separator: ", ") }

    /// Returns a parameter for each column, such as `$3, $4`.
    package func parameters(_ mark: Character, from first: Int = 1) -> String {
        (0..<count).map { "\(mark)\(first + $0)" }.joined(separator: ", ")
    }

    /// Returns an assignment of a parameter to each column, such as `name = $3, address = $4`.
    package func assignments(_ mark: Character, from first: Int) -> String {
        enumerated().map { "\($1.name) = \(mark)\(first + $0)" }.joined(separator: ", ")
    }

    /// Returns a condition that all columns are equal to their parameters.
    package func conditions(_ mark: Character, from first: Int) -> String {
        enumerated().map { index, column in
            let comparison = column.isOptional ? "IS NOT DISTINCT FROM" : "="
            return "\(column.name) \(comparison) \(mark)\(first + index)"
        }.joined(separator: " AND ")
    }
}

/// The columns of a table: a case for each, whose raw value is its position in all select lists.
package protocol TableColumns: CaseIterable, RawRepresentable<Int>, Sendable {
    var column: Column { get }
}

extension Collection where Element: TableColumns {
    package var columns: [Column] { map(\.column) }
}
