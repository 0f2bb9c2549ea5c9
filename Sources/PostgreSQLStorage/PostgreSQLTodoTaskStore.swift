import Model
import PostgreSQL
import Rules
import System
import Time

/// A store of the accounts' tasks in PostgreSQL.
struct PostgreSQLTodoTaskStore: TodoTaskStore {
    let database: PostgreSQLDatabase

    func all(ofAccount accountID: Int64) async throws -> [TodoTask] {
        try await database.all(TodoTaskStatements.ofAccount, .bigint(accountID)) { row in
            try TodoTask(row)
        }
    }

    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask? {
        try await database.first(
            TodoTaskStatements.find,
            .bigint(id),
            .bigint(accountID)
        ) { row in try TodoTask(row) }
    }

    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask {
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
        let id = try await database.number(
            Command(TodoTaskStatements.create, Array(Table.todoTasks.bound(values).dropFirst()))
                .noting(ChangeNote.task(of: accountID))
        )
        guard let id else { throw ModelError.storage(cause: "a new task has no id") }
        return TodoTask(
            id: id,
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
        if precondition: Precondition<TodoTask>? = nil,
        _ change: TodoTaskChange
    ) async throws {
        try await self.change(
            id,
            accountID: accountID,
            if: precondition,
            [
                .text(change.title),
                .boolean(change.isCompleted),
                .bigint(Timestamp.now().milliseconds),
            ],
            TodoTaskStatements.update,
            ifUnchanged: TodoTaskStatements.updateUnchanged
        )
    }

    func delete(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>? = nil
    ) async throws {
        try await change(
            id,
            accountID: accountID,
            if: precondition,
            [],
            TodoTaskStatements.delete,
            ifUnchanged: TodoTaskStatements.deleteUnchanged
        )
    }

    /// Performs a statement on the account's own task, or with a precondition another one, which
    /// does nothing if the task has changed since.
    private func change(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ values: [Value],
        _ statement: SQL,
        ifUnchanged conditional: SQL
    ) async throws {
        guard let precondition else {
            let ids = [Value.bigint(id), .bigint(accountID)]
            guard
                try await database.hasRow(
                    Command(statement, ids + values).noting(ChangeNote.task(of: accountID))
                )
            else {
                throw ModelError.notFound
            }
            return
        }
        try await database.change {
            guard let task = try await find(id, accountID: accountID) else {
                throw ModelError.notFound
            }
            try precondition(task)
            return try await database.hasRow(
                Command(conditional, task.identity + values)
                    .noting(ChangeNote.task(of: accountID))
            )
        }
    }
}

extension TodoTask {
    /// The values that the conditions of `TodoTaskStatements.updateUnchanged` compare.
    fileprivate var identity: [Value] {
        [
            .bigint(id), .bigint(accountID), .text(title), .boolean(isCompleted),
            .bigint(updatedAt.milliseconds),
        ]
    }
}
