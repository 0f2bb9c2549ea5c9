import Model
import Rules
package import System

/// The installation's UUID, the same for all engines.
struct InstallationRecords: InstallationStore {
    let database: any SharedDatabase
    /// The UUID after the first read.
    private let known = Remembered<String>()

    func uuid() async throws -> String {
        if let known = known.value { return known }
        let row = try await database.rows(InstallationStatements.uuid, [], [.text]).first
        guard let row else { throw ModelError.storage(cause: "the table installation is empty") }
        known.remember(row.text(0))
        return row.text(0)
    }
}

extension SharedSession {
    /// Returns whether the installation has a UUID, which another program may have deleted.
    package func hasInstallation() throws -> Bool {
        try !rows(InstallationStatements.uuid, [], [.text]).isEmpty
    }
}

/// The statement about the installation, which both engines understand.
package enum InstallationStatements {
    static let uuid: SharedSQL = "SELECT uuid FROM installation WHERE id = 1"

    package static let all: [SQL] = [uuid.postgresql]
}
