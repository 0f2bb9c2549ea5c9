import Model
import PostgreSQL
import Rules

/// A store of the shared tasks in PostgreSQL.
struct PostgreSQLSharedTaskStore: SharedTaskStore {
    let database: PostgreSQLDatabase

    func pending() async throws -> [SharedTask] {
        try await database.all(SharedTaskStatements.pending) { row in
            try SharedTaskRecord(row).task
        }
    }

    func add(_ task: SharedTask) async throws {
        let values = SharedTaskRecord(id: nil, task: task, isCompleted: false).values()
        _ = try await database.number(
            Command(SharedTaskStatements.add, Array(Table.sharedTasks.bound(values).dropFirst()))
        )
    }

    func complete(taskID: Int64) async throws {
        try await database.perform(SharedTaskStatements.complete, .bigint(taskID))
    }
}
