package import Model
import PostgreSQL
import Time

/// A store of the shared tasks in PostgreSQL.
package struct PostgreSQLSharedTaskStore: SharedTaskStore {
    private let database: PostgreSQLDatabase

    package init(_ database: PostgreSQLDatabase) {
        self.database = database
    }

    package func pending() async throws -> [SharedTask] {
        try await database.all(SharedTaskStatements.pending) { row in
            SharedTask(taskID: try row.bigint(0), name: try row.text(1))
        }
    }

    package func add(_ task: SharedTask) async throws {
        try await database.perform(
            SharedTaskStatements.add,
            .bigint(task.taskID),
            .text(task.name),
            .bigint(Timestamp.now().milliseconds)
        )
    }

    package func complete(taskID: Int64) async throws {
        try await database.perform(SharedTaskStatements.complete, .bigint(taskID))
    }
}
