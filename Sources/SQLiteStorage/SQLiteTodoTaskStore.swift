package import Model
import SQLite
import Time

/// A store of the accounts' tasks in SQLite.
package struct SQLiteTodoTaskStore: TodoTaskStore {
    let database: SQLiteDatabase

    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package func all(ofAccount accountID: Int64) async throws -> [TodoTask] {
        try database.read { connection in
            try connection.all(
                """
                SELECT id, account_id, title, is_completed, created_at, updated_at
                FROM todo_tasks WHERE account_id = ? ORDER BY id
                """,
                .integer(accountID)
            ) { row in TodoTask(row) }
        }
    }

    package func find(_ id: Int64, accountID: Int64) async throws -> TodoTask? {
        try database.read { connection in try connection.task(id, accountID: accountID) }
    }

    package func create(
        _ attributes: TodoTaskChange,
        accountID: Int64
    ) async throws -> TodoTask {
        try await database.write { connection in
            let now = Timestamp.now()
            let title = attributes.title ?? ""
            let isCompleted = attributes.isCompleted ?? false
            try connection.run(
                """
                INSERT INTO todo_tasks (account_id, title, is_completed, created_at, updated_at)
                VALUES (?1, ?2, ?3, ?4, ?4)
                """,
                .integer(accountID),
                .text(title),
                .boolean(isCompleted),
                .integer(now.milliseconds)
            )
            return TodoTask(
                id: connection.lastInsertRowID,
                accountID: accountID,
                title: title,
                isCompleted: isCompleted,
                createdAt: now,
                updatedAt: now
            )
        }
    }

    package func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>? = nil,
        _ change: TodoTaskChange
    ) async throws {
        try await database.write { connection in
            try connection.check(precondition, id, accountID: accountID)
            try connection.run(
                """
                UPDATE todo_tasks
                SET title = coalesce(?, title), is_completed = coalesce(?, is_completed),
                    updated_at = ?
                WHERE id = ? AND account_id = ?
                """,
                .text(orNull: change.title),
                change.isCompleted.map(Value.boolean) ?? .null,
                .integer(Timestamp.now().milliseconds),
                .integer(id),
                .integer(accountID)
            )
            if connection.changes == 0 { throw ModelError.notFound }
        }
    }

    package func delete(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>? = nil
    ) async throws {
        try await database.write { connection in
            try connection.check(precondition, id, accountID: accountID)
            try connection.run(
                "DELETE FROM todo_tasks WHERE id = ? AND account_id = ?",
                .integer(id),
                .integer(accountID)
            )
            if connection.changes == 0 { throw ModelError.notFound }
        }
    }
}

extension Connection {
    /// Returns the account's own task.
    fileprivate func task(_ id: Int64, accountID: Int64) throws -> TodoTask? {
        try first(
            """
            SELECT id, account_id, title, is_completed, created_at, updated_at
            FROM todo_tasks WHERE id = ? AND account_id = ?
            """,
            .integer(id),
            .integer(accountID)
        ) { row in TodoTask(row) }
    }

    /// Throws `ModelError.notFound` if there is no task, or else the error of the precondition.
    fileprivate func check(
        _ precondition: Precondition<TodoTask>?,
        _ id: Int64,
        accountID: Int64
    ) throws {
        guard let precondition else { return }
        guard let task = try task(id, accountID: accountID) else { throw ModelError.notFound }
        try precondition(task)
    }
}

extension Value {
    /// Returns SQLite's 1 or 0 (<https://sqlite.org/datatype3.html>, section 2.1).
    static func boolean(_ boolean: Bool) -> Value {
        .integer(boolean ? 1 : 0)
    }
}

extension TodoTask {
    /// Reads a row of: id, account_id, title, is_completed, created_at, updated_at.
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0),
            accountID: row.int64(1),
            title: row.text(2),
            isCompleted: row.int64(3) != 0,
            createdAt: Timestamp(milliseconds: row.int64(4)),
            updatedAt: Timestamp(milliseconds: row.int64(5))
        )
    }
}
