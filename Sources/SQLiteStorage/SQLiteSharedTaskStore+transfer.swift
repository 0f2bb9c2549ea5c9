package import Model
import SQLite

/// A shared task as it comes from another place or goes there.
package struct TransferredSharedTask: Equatable, Sendable {
    /// The id that its row must have, which no app knows; nil for a new one.
    package let id: Int64?
    package let task: SharedTask
    package let isCompleted: Bool

    package init(id: Int64?, task: SharedTask, isCompleted: Bool) {
        self.id = id
        self.task = task
        self.isCompleted = isCompleted
    }
}

extension SQLiteSharedTaskStore {
    /// Stores shared tasks as `SQLiteEventStore.importBatch` stores events.
    package func importBatch(
        _ tasks: [TransferredSharedTask],
        isStrict: Bool = false
    ) async throws -> [ImportResult] {
        try await database.write { connection in
            try TransferSession(connection).store(tasks, isStrict: isStrict)
        }
    }

    /// The shared tasks with the lowest ids above `id`, completed or not, in their order; fewer
    /// than `limit` are the last.
    package func export(after id: Int64, limit: Int) throws -> [TransferredSharedTask] {
        try database.read { connection in
            try TransferSession(connection).sharedTasks(after: id, limit: limit)
        }
    }
}

extension TransferSession {
    /// Stores shared tasks as `SQLiteEventStore.importBatch` stores events.
    package func store(_ tasks: [TransferredSharedTask], isStrict: Bool) throws -> [ImportResult] {
        try ImportResult.ofEach(tasks, isStrict: isStrict, store)
    }

    /// Returns the same shared tasks as `SQLiteSharedTaskStore.export`.
    package func sharedTasks(after id: Int64, limit: Int) throws -> [TransferredSharedTask] {
        try connection.all(
            """
            SELECT id, task_id, name, is_completed
            FROM shared_tasks WHERE id > ? ORDER BY id LIMIT ?
            """,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in
            TransferredSharedTask(
                id: row.int64(0),
                task: SharedTask(taskID: row.int64(1), name: row.text(2)),
                isCompleted: row.int64(3) != 0
            )
        }
    }

    private func store(
        _ record: TransferredSharedTask
    ) throws -> ImportResult {
        try connection.store(
            importedUnder: record.id,
            unless: "SELECT 1 FROM shared_tasks WHERE id = ?"
        ) {
            try connection.run(
                """
                INSERT INTO shared_tasks (id, task_id, name, is_completed, created_at)
                VALUES (?, ?, ?, ?, ?)
                """,
                .integer(orNull: record.id),
                .integer(record.task.taskID),
                .text(record.task.name),
                .boolean(record.isCompleted),
                .integer(Timestamp.now().milliseconds)
            )
            return connection.lastInsertRowID
        }
    }
}
