import Model
import Rules
import SQLite
import System
import Time

/// A store of the accounts' tasks in SQLite.
struct SQLiteTodoTaskStore: TodoTaskStore {
    let database: SQLiteDatabase

    func all(ofAccount accountID: Int64) async throws -> [TodoTask] {
        try database.read { connection in
            try connection.all(TodoTaskSQL.ofAccount, .integer(accountID)) { row in
                TodoTask(row)
            }
        }
    }

    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask? {
        try database.read { connection in try connection.task(id, accountID: accountID) }
    }

    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask {
        try await database.write { connection in
            let now = Timestamp.now()
            let title = attributes.title ?? ""
            let isCompleted = attributes.isCompleted ?? false
            let id = try connection.insert(
                TodoTaskSQL.insert,
                TodoTaskColumn.values(
                    accountID: accountID,
                    title: title,
                    isCompleted: isCompleted,
                    createdAt: now,
                    updatedAt: now
                )
            )
            return TodoTask(
                id: id,
                accountID: accountID,
                title: title,
                isCompleted: isCompleted,
                createdAt: now,
                updatedAt: now
            )
        }
    }

    func update(
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
                change.isCompleted.map { ColumnValue.boolean($0).bound } ?? .null,
                .integer(Timestamp.now().milliseconds),
                .integer(id),
                .integer(accountID)
            )
            if connection.changes == 0 { throw ModelError.notFound }
        }
    }

    func delete(
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
        try first(TodoTaskSQL.find, .integer(id), .integer(accountID)) { row in TodoTask(row) }
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

/// The statements that have all columns of tasks.
enum TodoTaskSQL {
    static let ofAccount = SQL(selectingFrom: .todoTasks, "WHERE account_id = ? ORDER BY id")
    static let find = SQL(selectingFrom: .todoTasks, "WHERE id = ? AND account_id = ?")
    static let insert = SQL(insertingInto: .todoTasks)
}
