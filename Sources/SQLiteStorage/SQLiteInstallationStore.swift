import Model
import Rules
import SQLite
import System

/// A store of the installation's UUID in SQLite.
struct SQLiteInstallationStore: InstallationStore {
    let database: SQLiteDatabase

    func uuid() async throws -> String {
        if let known = database.installation.value { return known }
        let uuid = try database.read { connection in try connection.installation() }
        guard let uuid else { throw ModelError.storage(cause: "the table installation is empty") }
        database.installation.remember(uuid)
        return uuid
    }
}

extension Connection {
    /// Returns the installation's UUID, or nil if another program has deleted it.
    func installation() throws -> String? {
        try first("SELECT uuid FROM installation WHERE id = 1") { row in row.text(0) }
    }
}
