import Model
import PostgreSQL
import Rules
import System

/// A store of the installation's UUID in PostgreSQL.
struct PostgreSQLInstallationStore: InstallationStore {
    let database: PostgreSQLDatabase

    func uuid() async throws -> String {
        if let known = database.installation.value { return known }
        let uuid = try await database.first(StorageStatements.installation) { row in try row.text(0)
        }
        guard let uuid else { throw ModelError.storage(cause: "the table installation is empty") }
        database.installation.remember(uuid)
        return uuid
    }
}
