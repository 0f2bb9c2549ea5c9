import Model
import Rules
package import System
import Time

/// The tasks of accounts, the same for all engines.
struct TodoTaskRecords: TodoTaskStore {
    let database: any SharedDatabase

    func all(ofAccount accountID: Int64) async throws -> [TodoTask] {
        try await database.records(TodoTaskStatements.ofAccount, accountID)
    }

    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask? {
        let (id, account) = (SharedValue.integer(id), SharedValue.integer(accountID))
        return try await database.records(TodoTaskStatements.find, id, account).first
    }

    func create(
        _ attributes: TodoTaskChange,
        accountID: Int64
    ) async throws -> TodoTask {
        let now = Timestamp.now()
        let title = attributes.title ?? ""
        let isCompleted = attributes.isCompleted ?? false
        let values = TodoTaskColumn.values(
            accountID: accountID,
            title: title,
            isCompleted: isCompleted,
            createdAt: now,
            updatedAt: now
        )
        let note = WriteNote.task(account: accountID)
        return TodoTask(
            id: try await database.create(TodoTaskStatements.creation, values, noting: note),
            accountID: accountID,
            title: title,
            isCompleted: isCompleted,
            createdAt: now,
            updatedAt: now
        )
    }

    func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ change: TodoTaskChange
    ) async throws {
        let isCompleted = change.isCompleted.map { ColumnValue.boolean($0) } ?? .null
        try await self.change(
            id,
            accountID: accountID,
            if: precondition,
            TodoTaskStatements.update,
            .text(change.title),
            .value(of: TodoTaskColumn.isCompleted.column, isCompleted),
            .integer(Timestamp.now().milliseconds)
        )
    }

    func delete(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?
    ) async throws {
        try await change(id, accountID: accountID, if: precondition, TodoTaskStatements.delete)
    }

    /// Performs a statement on the account's own task; with a precondition, in a transaction that
    /// locks the task first.
    private func change(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ statement: SharedSQL,
        _ values: SharedValue...
    ) async throws {
        let ids = [SharedValue.integer(id), .integer(accountID)]
        guard let precondition else {
            let note = WriteNote.task(account: accountID)
            let write = SharedWrite(statement, ids + values, noting: note)
            if try await database.write([write]) == nil { throw ModelError.notFound }
            return
        }
        try await database.transaction { session in
            let task = try session.records(TodoTaskStatements.toChange, ids[0], ids[1]).first
            guard let task else { throw ModelError.notFound }
            try precondition(task)
            _ = try session.rows(statement, ids + values, [.integer])
            try session.note(.task(id, account: accountID))
        }
    }
}

/// The statements about the tasks of accounts, which both engines understand.
package enum TodoTaskStatements {
    static let ofAccount = RecordQuery<TodoTask>(.todoTasks, "WHERE account_id = $1 ORDER BY id")
    static let find = RecordQuery<TodoTask>(.todoTasks, "WHERE id = $1 AND account_id = $2")
    static let toChange = RecordQuery<TodoTask>(
        .todoTasks,
        "WHERE id = $1 AND account_id = $2 FOR UPDATE"
    )
    static let creation = RecordCreation(in: .todoTasks)
    /// Keeps a value for NULL; no row means that the account has no such task.
    static let update: SharedSQL = """
        UPDATE todo_tasks
        SET title = coalesce($3, title), is_completed = coalesce($4, is_completed),
            updated_at = $5
        WHERE id = $1 AND account_id = $2
        RETURNING id
        """
    /// No row means that the account has no such task.
    static let delete: SharedSQL = """
        DELETE FROM todo_tasks WHERE id = $1 AND account_id = $2 RETURNING id
        """

    package static let all: [SQL] = [
        ofAccount.sql, find.sql, toChange.sql, creation.sql, update, delete,
    ].map(\.postgresql)
}
