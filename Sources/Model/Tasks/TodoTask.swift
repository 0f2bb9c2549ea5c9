package import Rules
package import Time

/// A task of a Todo account.
package struct TodoTask: Equatable, Sendable {
    package let id: Int64
    package let accountID: Int64
    package let title: String
    package let isCompleted: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        id: Int64,
        accountID: Int64,
        title: String,
        isCompleted: Bool,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.title = title
        self.isCompleted = isCompleted
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The changes to a task; nil keeps a value.
package struct TodoTaskChange: Equatable, Sendable {
    package let title: String?
    package let isCompleted: Bool?

    package init(title: String? = nil, isCompleted: Bool? = nil) {
        self.title = title
        self.isCompleted = isCompleted
    }
}

/// The values that a client sent for a task, before validation.
package struct TodoTaskDraft: Equatable, Sendable {
    package var title: Input
    package var isCompleted: Input

    package init(title: Input = .absent, isCompleted: Input = .absent) {
        self.title = title
        self.isCompleted = isCompleted
    }

    private static let maximumTitle = 255

    /// Returns the change with these values.
    ///
    /// A null title is empty, a blank completion is false, and absent values are kept. Throws
    /// `ModelError.invalid` with the attributes that break a rule, `title` before `completed`.
    package func change() throws(ModelError) -> TodoTaskChange {
        var validation = Validation()
        let title = validation.optional(
            "title",
            title == .null ? .text("") : title,
            .text(maximum: Self.maximumTitle)
        )
        let isCompleted = validation.optional(
            "completed",
            isCompleted.nullIfBlank == .null ? .boolean(false) : isCompleted,
            .boolean
        )
        guard validation.errors.isEmpty else { throw .invalid(validation.errors) }
        return TodoTaskChange(title: title, isCompleted: isCompleted)
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

extension TodoTaskColumn {
    /// Returns the values of a task to store.
    package static func values(
        id: Int64? = nil,
        accountID: Int64?,
        title: String,
        isCompleted: Bool,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) -> [ColumnValue] {
        allCases.map { column in
            switch column {
            case .id: .integer(orNull: id)
            case .accountID: .integer(orNull: accountID)
            case .title: .text(title)
            case .isCompleted: .boolean(isCompleted)
            case .createdAt: .time(createdAt)
            case .updatedAt: .time(updatedAt)
            }
        }
    }
}

extension TodoTask: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(TodoTaskColumn.id),
            accountID: try row.integer(TodoTaskColumn.accountID),
            title: try row.text(TodoTaskColumn.title),
            isCompleted: try row.boolean(TodoTaskColumn.isCompleted),
            createdAt: try row.time(TodoTaskColumn.createdAt),
            updatedAt: try row.time(TodoTaskColumn.updatedAt)
        )
    }
}

extension TodoTaskRecord: TableRecord {
    /// Reads a row of all columns of the task, followed by the address of its account.
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        let task = try TodoTask(row)
        self.init(
            id: task.id,
            email: EmailAddress(stored: try row.text(after: TodoTaskColumn.self)),
            title: task.title,
            isCompleted: task.isCompleted,
            createdAt: task.createdAt,
            updatedAt: task.updatedAt
        )
    }

    /// Returns the values of the columns, of which the account can be NULL.
    package func values(accountID: Int64?) -> [ColumnValue] {
        TodoTaskColumn.values(
            id: id,
            accountID: accountID,
            title: title,
            isCompleted: isCompleted,
            createdAt: createdAt,
            updatedAt: updatedAt
        )
    }
}
