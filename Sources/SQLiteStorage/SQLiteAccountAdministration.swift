import Model
import Rules
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

    func resetPassword(of email: EmailAddress, hash: String) async throws {
        try await database.write { connection in
            let id = try connection.accountID(email: email)
            try connection.setPasswordHash(hash, ofAccount: id)
            try connection.endSessions(ofAccount: id)
        }
    }

    func endSessions(of email: EmailAddress) async throws -> Int64 {
        try await database.write { connection in
            try connection.endSessions(ofAccount: connection.accountID(email: email))
            return connection.changes
        }
    }
}

extension Connection {
    fileprivate func accountID(email: EmailAddress) throws -> Int64 {
        guard let credentials = try credentials(email: email) else { throw ModelError.notFound }
        return credentials.account.id
    }
}
