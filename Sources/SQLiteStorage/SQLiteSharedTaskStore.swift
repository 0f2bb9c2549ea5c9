import Model
import Rules
import SQLite
import System

/// A store of the shared tasks in SQLite.
struct SQLiteSharedTaskStore: SharedTaskStore {
    let database: SQLiteDatabase

    func pending() async throws -> [SharedTask] {
        try database.read { connection in
            try connection.all(Self.pending) { row in SharedTaskRecord(row).task }
        }
    }

    private static let pending = SQL(
        selectingFrom: .sharedTasks,
        "WHERE is_completed = 0 ORDER BY id"
    )

    func add(_ task: SharedTask) async throws {
        try await database.write { connection in
            let record = SharedTaskRecord(id: nil, task: task, isCompleted: false)
            _ = try record.insert(on: connection)
        }
    }

    func complete(taskID: Int64) async throws {
        try await database.write { connection in
            try connection.run(
                "UPDATE shared_tasks SET is_completed = 1 WHERE task_id = ? AND is_completed = 0",
                .integer(taskID)
            )
        }
    }
}
