package import Model
import SQLite

/// What an operator may know of an account: nothing that proves anybody's identity.
package struct AccountSummary: Equatable, Sendable {
    package let id: Int64
    package let email: String
    /// Empty if the person gave none.
    package let name: String
    package let taskCount: Int64
    /// Whether any token is signed in to it.
    package let isSignedIn: Bool

    package init(id: Int64, email: String, name: String, taskCount: Int64, isSignedIn: Bool) {
        self.id = id
        self.email = email
        self.name = name
        self.taskCount = taskCount
        self.isSignedIn = isSignedIn
    }
}

extension SQLiteAccountStore {
    /// All accounts by their ids; O(n log m) for n accounts with m tasks each.
    package func list() throws -> [AccountSummary] {
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

    /// Gives the account of this address another password and ends all its sessions, in one write.
    ///
    /// Throws `ModelError.notFound` if there is no such account.
    package func resetPassword(of email: EmailAddress, hash: String) async throws {
        try await database.write { connection in
            let id = try connection.accountID(email: email)
            try connection.setPasswordHash(hash, ofAccount: id)
            try connection.endSessions(ofAccount: id)
        }
    }

    /// Ends all sessions of the account of this address and returns how many there were.
    ///
    /// Throws `ModelError.notFound` if there is no such account.
    package func endSessions(of email: EmailAddress) async throws -> Int64 {
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
