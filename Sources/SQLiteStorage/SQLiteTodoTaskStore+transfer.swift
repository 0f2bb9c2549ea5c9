package import Model
import SQLite

/// A task as it comes from another place or goes there.
package struct TransferredTask: Equatable, Sendable {
    /// The id that it must have; nil for a new one.
    package let id: Int64?
    /// The address of the account that it belongs to.
    package let email: EmailAddress
    package let title: String
    package let isCompleted: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        id: Int64?,
        email: EmailAddress,
        title: String,
        isCompleted: Bool,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.email = email
        self.title = title
        self.isCompleted = isCompleted
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension SQLiteTodoTaskStore {
    /// Stores tasks as `SQLiteEventStore.importBatch` stores events.
    ///
    /// Accounts that do not exist are made, without a password.
    package func importBatch(
        _ tasks: [TransferredTask],
        isStrict: Bool = false
    ) async throws -> [ImportResult] {
        try await database.write { connection in
            try TransferSession(connection).store(tasks, isStrict: isStrict)
        }
    }

    /// The tasks with the lowest ids above `id`, in their order; fewer than `limit` are the last.
    package func export(after id: Int64, limit: Int) throws -> [TransferredTask] {
        try database.read { connection in
            try TransferSession(connection).todoTasks(after: id, limit: limit)
        }
    }
}

extension TransferSession {
    /// Stores tasks as `SQLiteEventStore.importBatch` stores events.
    package func store(_ tasks: [TransferredTask], isStrict: Bool) throws -> [ImportResult] {
        try ImportResult.ofEach(tasks, isStrict: isStrict, store)
    }

    /// Returns the same tasks as `SQLiteTodoTaskStore.export`.
    package func todoTasks(after id: Int64, limit: Int) throws -> [TransferredTask] {
        try connection.all(
            """
            SELECT todo_tasks.id, email, title, is_completed,
                todo_tasks.created_at, todo_tasks.updated_at
            FROM todo_tasks JOIN accounts ON accounts.id = account_id
            WHERE todo_tasks.id > ? ORDER BY todo_tasks.id LIMIT ?
            """,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in
            TransferredTask(
                id: row.int64(0),
                email: EmailAddress(stored: row.text(1)),
                title: row.text(2),
                isCompleted: row.int64(3) != 0,
                createdAt: Timestamp(milliseconds: row.int64(4)),
                updatedAt: Timestamp(milliseconds: row.int64(5))
            )
        }
    }

    private func store(_ task: TransferredTask) throws -> ImportResult {
        try connection.store(
            importedUnder: task.id,
            unless: "SELECT 1 FROM todo_tasks WHERE id = ?"
        ) {
            try connection.run(
                """
                INSERT INTO todo_tasks
                    (id, account_id, title, is_completed, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                .integer(orNull: task.id),
                .integer(try accountID(task.email)),
                .text(task.title),
                .boolean(task.isCompleted),
                .integer(task.createdAt.milliseconds),
                .integer(task.updatedAt.milliseconds)
            )
            return connection.lastInsertRowID
        }
    }

    private func accountID(_ email: EmailAddress) throws -> Int64 {
        if let known = try connection.credentials(email: email) { return known.account.id }
        return try connection.insertAccount(email: email, name: "", passwordHash: nil, at: .now())
    }
}
