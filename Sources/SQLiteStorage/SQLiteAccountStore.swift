import Model
import Rules
import SQLite
import System
import Time

/// A store of accounts and sessions in SQLite.
struct SQLiteAccountStore: AccountStore {
    let database: SQLiteDatabase

    func findID(token: TokenDigest) async throws -> Int64? {
        try database.read { connection in
            try connection.first(
                "SELECT account_id FROM sessions WHERE token_digest = ?",
                .blob(token.bytes)
            ) { row in row.int64(0) }
        }
    }

    func find(token: TokenDigest) async throws -> AccountCredentials? {
        try database.read { connection in
            try connection.first(Self.findByToken, .blob(token.bytes)) { row in
                AccountCredentials(row)
            }
        }
    }

    private static let findByToken = SQL(
        selectingFrom: .accounts,
        "WHERE id = (SELECT account_id FROM sessions WHERE token_digest = ?)"
    )

    func find(email: EmailAddress) async throws -> AccountCredentials? {
        try database.read { connection in try connection.credentials(email: email) }
    }

    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account {
        try await database.write { connection in
            guard try connection.credentials(email: account.email) == nil else {
                throw NewAccount.emailIsTaken
            }
            let now = Timestamp.now()
            let id = try connection.insertAccount(
                email: account.email,
                name: account.name,
                passwordHash: passwordHash,
                at: now
            )
            try connection.insertSession(ofAccount: id, token, at: now)
            return Account(
                id: id,
                email: account.email.text,
                name: account.name,
                createdAt: now,
                updatedAt: now
            )
        }
    }

    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool {
        try await database.write { connection in
            let id = credentials.account.id
            let hash = try connection.first(
                "SELECT password_hash FROM accounts WHERE id = ?",
                .integer(id)
            ) { row in row.optionalText(0) }
            guard let hash = hash ?? nil, hash == credentials.passwordHash else { return false }
            if let renewedHash {
                // `updated_at` stays the same, because the account's owner sees no change.
                try connection.run(
                    "UPDATE accounts SET password_hash = ? WHERE id = ?",
                    .text(renewedHash),
                    .integer(id)
                )
            }
            try connection.endSessions(ofAccount: id)
            try connection.insertSession(ofAccount: id, token, at: .now())
            return true
        }
    }

    func signOut(token: TokenDigest) async throws -> Bool {
        try await database.write { connection in
            try connection.run("DELETE FROM sessions WHERE token_digest = ?", .blob(token.bytes))
            return connection.changes > 0
        }
    }
}

extension Connection {
    /// Returns the account with this address, and the hash of its password.
    func credentials(email: EmailAddress) throws -> AccountCredentials? {
        if let credentials = try credentials(storedEmail: email.text) { return credentials }
        return try email.unnormalizedText.flatMap(credentials(storedEmail:))
    }

    private static let findAccount = SQL(selectingFrom: .accounts, "WHERE email = ?")

    private func credentials(storedEmail: String) throws -> AccountCredentials? {
        try first(Self.findAccount, .text(storedEmail)) { row in AccountCredentials(row) }
    }

    /// Stores a new account and returns its id; nobody can sign in to one without a hash.
    func insertAccount(
        email: EmailAddress,
        name: String = "",
        passwordHash: String? = nil,
        at time: Timestamp
    ) throws -> Int64 {
        try run(
            """
            INSERT INTO accounts (email, name, password_hash, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?4)
            """,
            .text(email.text),
            .text(name),
            .text(orNull: passwordHash),
            .integer(time.milliseconds)
        )
        return lastInsertRowID
    }

    fileprivate func insertSession(
        ofAccount id: Int64,
        _ token: TokenDigest,
        at time: Timestamp
    ) throws {
        try run(
            "INSERT INTO sessions (account_id, token_digest, created_at) VALUES (?, ?, ?)",
            .integer(id),
            .blob(token.bytes),
            .integer(time.milliseconds)
        )
    }

    /// Ends all sessions of the account; `changes` is their number.
    func endSessions(ofAccount id: Int64) throws {
        try run("DELETE FROM sessions WHERE account_id = ?", .integer(id))
    }
}
