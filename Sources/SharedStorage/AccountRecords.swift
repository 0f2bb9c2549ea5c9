package import Model
import Rules
package import System
package import Time

/// The accounts and their sessions, the same for all engines.
struct AccountRecords: AccountStore {
    let database: any SharedDatabase

    func findID(token: TokenDigest) async throws -> Int64? {
        let values = [SharedValue.bytes(token.bytes)]
        return try await database.rows(AccountStatements.idOfToken, values, [.integer]).first?
            .integer(0)
    }

    func find(token: TokenDigest) async throws -> AccountCredentials? {
        try await database.records(AccountStatements.findByToken, token).first
    }

    func find(email: EmailAddress) async throws -> AccountCredentials? {
        try await database.records(AccountStatements.find, email.storedTexts).first
    }

    func summaries() async throws -> [AccountSummary] {
        let kinds: [ColumnKind] = [.integer, .text, .text, .integer, .boolean]
        // Counting the tasks of many accounts takes longer than requests may.
        let rows = try await database.read { session in
            try session.rows(AccountStatements.summaries, kinds: kinds)
        }
        return rows.map { row in
            AccountSummary(
                id: row.integer(0),
                email: row.text(1),
                name: row.text(2),
                taskCount: row.integer(3),
                isSignedIn: row[4] == .boolean(true)
            )
        }
    }

    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account {
        let now = Timestamp.now()
        return try await database.transaction { session in
            guard try session.credentials(email: account.email) == nil else {
                throw NewAccount.emailIsTaken
            }
            let id = try session.insertAccount(
                email: account.email,
                name: account.name,
                passwordHash: passwordHash,
                at: now
            )
            try session.beginSession(ofAccount: id, token, at: now)
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
        let id = credentials.account.id
        return try await database.transaction { session in
            guard try session.lock(credentials) else { return false }
            if let renewedHash {
                // `updated_at` stays the same, because the account's owner sees no change.
                try session.run(AccountStatements.renewHash, id, renewedHash)
            }
            try session.run(.deleteSessions, id)
            try session.beginSession(ofAccount: id, token, at: .now())
            return true
        }
    }

    func signOut(token: TokenDigest) async throws -> Bool {
        let write = SharedWrite(AccountStatements.signOut, [.bytes(token.bytes)])
        return try await database.write([write]) != nil
    }
}

extension SharedSession {
    /// Locks an account, and returns whether it still has the hash of these credentials.
    func lock(_ credentials: AccountCredentials) throws -> Bool {
        try !rows(
            AccountStatements.withHash,
            [.integer(credentials.account.id), .text(credentials.passwordHash)],
            [.integer]
        ).isEmpty
    }

    /// Returns the account with this address, and the hash of its password.
    package func credentials(email: EmailAddress) throws -> AccountCredentials? {
        try records(AccountStatements.find, email.storedTexts).first
    }

    /// Stores a new account and returns its id; nobody can sign in to one without a hash.
    package func insertAccount(
        email: EmailAddress,
        name: String = "",
        passwordHash: String? = nil,
        at time: Timestamp
    ) throws -> Int64 {
        try create(
            AccountStatements.creation,
            AccountColumn.allCases.map { column in
                switch column {
                case .id: .null
                case .email: .text(email.text)
                case .name: .text(name)
                case .passwordHash: .text(orNull: passwordHash)
                case .createdAt, .updatedAt: .time(time)
                }
            }
        )
    }

    fileprivate func beginSession(
        ofAccount id: Int64,
        _ token: TokenDigest,
        at time: Timestamp
    ) throws {
        try run(AccountStatements.beginSession, id, token, time.milliseconds)
    }
}

extension EmailAddress {
    /// The two texts with which `AccountStatements.find` finds an account.
    package var storedTexts: [SharedValue] {
        [.text(text.lowercasedASCII), .text(unnormalizedText?.lowercasedASCII)]
    }
}

extension String {
    /// The text with lower-case ASCII letters, as the index of the accounts has it.
    fileprivate var lowercasedASCII: String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard utf8.contains(where: capitals.contains) else { return self }
        return String(
            decoding: utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}

/// The statements about accounts and their sessions, which both engines understand.
///
/// An account is found by its address or else, because older versions did not normalize addresses,
/// by a second text.
package enum AccountStatements {
    static let idOfToken: SharedSQL = "SELECT account_id FROM sessions WHERE token_digest = $1"
    static let find = RecordQuery<AccountCredentials>(
        .accounts,
        "WHERE lower(email) IN ($1, $2) ORDER BY lower(email) = $1 DESC LIMIT 1"
    )
    static let findByToken = RecordQuery<AccountCredentials>(
        .accounts,
        "WHERE id = (SELECT account_id FROM sessions WHERE token_digest = $1)"
    )
    static let withHash: SharedSQL = """
        SELECT id FROM accounts WHERE id = $1 AND password_hash = $2 FOR UPDATE
        """
    static let summaries: SharedSQL = """
        SELECT id, email, name,
            (SELECT count(*) FROM todo_tasks WHERE account_id = accounts.id),
            EXISTS (SELECT 1 FROM sessions WHERE account_id = accounts.id)
        FROM accounts ORDER BY id
        """
    static let creation = RecordCreation(in: .accounts)
    static let renewHash: SharedSQL = "UPDATE accounts SET password_hash = $2 WHERE id = $1"
    static let beginSession: SharedSQL = """
        INSERT INTO sessions (account_id, token_digest, created_at) VALUES ($1, $2, $3)
        """
    static let signOut: SharedSQL = "DELETE FROM sessions WHERE token_digest = $1 RETURNING id"

    package static let all: [SQL] = [
        idOfToken, find.sql, findByToken.sql, withHash, summaries, creation.sql, renewHash,
        beginSession, signOut,
    ].map(\.postgresql)
}
