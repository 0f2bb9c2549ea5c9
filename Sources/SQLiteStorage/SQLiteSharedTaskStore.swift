package import Model
import SQLite
import Time

/// A store of the shared tasks in SQLite.
package struct SQLiteSharedTaskStore: SharedTaskStore {
    let database: SQLiteDatabase

    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package func pending() async throws -> [SharedTask] {
        try database.read { connection in
            try connection.all(
                "SELECT task_id, name FROM shared_tasks WHERE is_completed = 0 ORDER BY id"
            ) { row in SharedTask(taskID: row.int64(0), name: row.text(1)) }
        }
    }

    package func add(_ task: SharedTask) async throws {
        try await database.write { connection in
            try connection.run(
                "INSERT INTO shared_tasks (task_id, name, created_at) VALUES (?, ?, ?)",
                .integer(task.taskID),
                .text(task.name),
                .integer(Timestamp.now().milliseconds)
            )
        }
    }

    package func complete(taskID: Int64) async throws {
        try await database.write { connection in
            try connection.run(
                "UPDATE shared_tasks SET is_completed = 1 WHERE task_id = ? AND is_completed = 0",
                .integer(taskID)
            )
        }
    }
}
