import PostgreSQL
import System

/// The statements for the installation's UUID.
enum InstallationStatements {
    static let find: SQL = "SELECT uuid FROM installation WHERE id = 1"

    static let store: SQL = """
        INSERT INTO installation (id, uuid) VALUES (1, $1)
        ON CONFLICT (id) DO UPDATE SET uuid = excluded.uuid
        """

    static let all = [find, store]
}
