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

    package init(_ name: String, _ kind: ColumnKind, isOptional: Bool = false) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
    }
}

/// A table with its columns in the order of all statements; the first is the key.
package struct Table: Equatable, Sendable {
    package let name: String
    package let columns: [Column]

    /// Creates the table of the columns that an enumeration declares.
    package init<Columns: TableColumns>(_ name: String, _ columns: Columns.Type) {
        self.name = name
        self.columns = Columns.allCases.map(\.column)
    }

    /// The names of the columns, separated by commas.
    package var list: String { columns.map(\.name).joined(separator: ", ") }

    /// The tables of the records, each after those to which its rows refer.
    package static let records: [Table] = [
        .users, .events, .attendances, .sharedTasks, .checkins, .accounts, .sessions, .todoTasks,
    ]

    package static let users = Table("users", UserColumn.self)
    package static let events = Table("events", EventColumn.self)
    package static let attendances = Table("attendances", AttendanceColumn.self)
    package static let sharedTasks = Table("shared_tasks", SharedTaskColumn.self)
    package static let checkins = Table("checkins", CheckinColumn.self)
    package static let accounts = Table("accounts", AccountColumn.self)
    package static let sessions = Table("sessions", SessionColumn.self)
    package static let todoTasks = Table("todo_tasks", TodoTaskColumn.self)
    package static let installation = Table("installation", InstallationColumn.self)
}

/// The columns of a table: a case for each, whose raw value is its position in all select lists.
package protocol TableColumns: CaseIterable, RawRepresentable<Int>, Sendable {
    var column: Column { get }
}

/// The columns of the table of users.
package enum UserColumn: Int, TableColumns {
    case id, tokenDigest, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .tokenDigest: Column("token_digest", .bytes, isOptional: true)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

/// The columns of the table of attendances.
package enum AttendanceColumn: Int, TableColumns {
    case id, userID, eventID, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .userID: Column("user_id", .integer)
        case .eventID: Column("event_id", .integer)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

/// The columns of the table of shared tasks.
package enum SharedTaskColumn: Int, TableColumns {
    case id, taskID, name, isCompleted, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .taskID: Column("task_id", .integer)
        case .name: Column("name", .text)
        case .isCompleted: Column("is_completed", .boolean)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

/// The columns of the table of check-ins.
package enum CheckinColumn: Int, TableColumns {
    case id, name, category, rating, latitude, longitude, userName, localTime, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .name: Column("name", .text, isOptional: true)
        case .category: Column("category", .text, isOptional: true)
        case .rating: Column("rating", .double, isOptional: true)
        case .latitude: Column("latitude", .double, isOptional: true)
        case .longitude: Column("longitude", .double, isOptional: true)
        case .userName: Column("user_name", .text, isOptional: true)
        case .localTime: Column("local_time", .integer)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

/// The columns of the table of accounts.
package enum AccountColumn: Int, TableColumns {
    case id, email, name, passwordHash, createdAt, updatedAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .email: Column("email", .text)
        case .name: Column("name", .text)
        case .passwordHash: Column("password_hash", .text, isOptional: true)
        case .createdAt: Column("created_at", .integer)
        case .updatedAt: Column("updated_at", .integer)
        }
    }
}

/// The columns of the table of sessions.
package enum SessionColumn: Int, TableColumns {
    case id, accountID, tokenDigest, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .accountID: Column("account_id", .integer)
        case .tokenDigest: Column("token_digest", .bytes)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

/// The columns of the table of the tasks of accounts.
package enum TodoTaskColumn: Int, TableColumns {
    case id, accountID, title, isCompleted, createdAt, updatedAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .accountID: Column("account_id", .integer)
        case .title: Column("title", .text)
        case .isCompleted: Column("is_completed", .boolean)
        case .createdAt: Column("created_at", .integer)
        case .updatedAt: Column("updated_at", .integer)
        }
    }
}

/// The columns of the table of the installation, which has one row.
package enum InstallationColumn: Int, TableColumns {
    case id, uuid

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .uuid: Column("uuid", .text)
        }
    }
}
