import Model
import SQLite
import System

extension SQLiteAccountStore: AccountAdministration {
    func list() throws -> [AccountSummary] {
        try database.read { connection in
            try connection.all(
                """
                SELECT id, email, name,
                    (SELECT count(*) FROM todo_tasks WHERE account_id = accounts.id),
                    EXISTS (SELECT 1 FROM sessions WHERE account_id = accounts.id)
                FROM accounts ORDER BY id
                """
            ) { row in
                AccountSummary(
                    id: row.int64(0),
                    email: row.text(1),
                    name: row.text(2),
                    taskCount: row.int64(3),
                    isSignedIn: row.int64(4) != 0
                )
            }
        }
    }
}
