import Model
import Rules
package import System

/// The shared tasks, the same for all engines.
struct SharedTaskRecords: SharedTaskStore {
    let database: any SharedDatabase

    func pending() async throws -> [SharedTask] {
        try await database.records(SharedTaskStatements.pending).map(\.task)
    }

    func add(_ task: SharedTask) async throws {
        let record = SharedTaskRecord(id: nil, task: task, isCompleted: false)
        _ = try await database.create(SharedTaskStatements.creation, record.values())
    }

    func complete(taskID: Int64) async throws {
        let write = SharedWrite(SharedTaskStatements.complete, [.integer(taskID)])
        _ = try await database.write([write])
    }
}

/// The statements about the shared tasks, which both engines understand.
package enum SharedTaskStatements {
    static let pending = RecordQuery<SharedTaskRecord>(
        .sharedTasks,
        "WHERE is_completed = FALSE ORDER BY id"
    )
    static let creation = RecordCreation(in: .sharedTasks)
    static let complete: SharedSQL = """
        UPDATE shared_tasks SET is_completed = TRUE WHERE task_id = $1 AND is_completed = FALSE
        """

    package static let all: [SQL] = [pending.sql, creation.sql, complete].map(\.postgresql)
}
