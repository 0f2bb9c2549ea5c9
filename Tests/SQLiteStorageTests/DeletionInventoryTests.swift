import Events
import SQLiteStorage
import Rules
import Model
import SQLite
import StorageSupport
import System
import Testing
import Time

/// Every table that refers to a person is known to the deletion of that person's data.
@Suite struct DeletionInventoryTests {
    /// What a deletion does with the rows of a table that refer to a user or an account.
    private enum Fate: Equatable {
        case deleted
        /// The row stays with a number that says nothing about a person; these columns are emptied.
        case emptied([String])
        /// The row stays because of this.
        case kept(String)
        /// The table refers to nobody.
        case nobody
    }

    private static let fates: [String: Fate] = [
        "users": .emptied(["name", "deletion_digest", "deletion_expires_at"]),
        "events": .deleted, "attendances": .deleted, "invitations": .deleted, "blocks": .deleted,
        "reports": .emptied(["note"]),
        "admin_actions": .emptied(["before", "after"]),
        "user_tokens": .deleted, "identities": .deleted,
        "accounts": .deleted, "sessions": .deleted, "todo_tasks": .deleted,
        "deleted_accounts": .kept("so that the deletion can be repeated after a restore"),
        "idempotency_keys": .kept("it names nobody, and is deleted after IDEMPOTENCY_KEEP"),
        "admins": .kept("they are the operators, who are no users"),
        "admin_tokens": .kept("they belong to operators, and end with time"),
        "webhooks": .kept("its URL is the operator's, and the rest names nobody"),
        "changes": .kept("it has only ids and times, and is pruned"),
        "shared_tasks": .nobody, "checkins": .nobody, "installation": .nobody, "feed": .nobody,
        "schema_migrations": .nobody, "sqlite_sequence": .nobody,
    ]
    /// The columns that name a person.
    private static let columns = [
        "user_id", "owner_id", "reporter_id", "blocked_id", "account_id", "email", "token_digest",
        "digest", "subject",
    ]

    @Test func `knows each table of the schema`() throws {
        let fixture = try StorageFixture()
        try fixture.database.readers.read { connection in
            let tables = try connection.all(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            ) { $0.text(0) }

            #expect(Set(tables).subtracting(Self.fates.keys) == [], "decide what happens to these")
            #expect(Set(Self.fates.keys).subtracting(tables) == [])
            for table in tables {
                let names = try connection.all(
                    "SELECT name FROM pragma_table_info(?)",
                    .text(table)
                ) { $0.text(0) }
                let isOfPerson = names.contains(where: Self.columns.contains)
                if isOfPerson { #expect(Self.fates[table] != .nobody, "\(table)") }
            }
        }
    }

    @Test func `leaves nothing of a deleted user and of a deleted account`() async throws {
        let fixture = try StorageFixture()
        let stores = fixture.database.stores
        let (user, other) = (try await fixture.user(1), try await fixture.user(2))
        for token in [TokenDigest(1), TokenDigest(2)] {
            _ = try await stores.events.create(.at(0, 0), token: token)
        }
        for event in [Int64(1), 2] {
            _ = try await stores.attendances.findOrCreate(userID: user.id, eventID: event)
        }
        let complaint = Complaint(reason: "spam", note: "a secret")
        let moderation = stores.moderation
        _ = try await moderation.report(.event(2), complaint, by: TokenDigest(1))
        _ = try await moderation.report(.user(user.id), complaint, by: TokenDigest(2))
        _ = try await moderation.block(.user(user.id), nil, by: TokenDigest(2))
        try await moderation.perform(.hide, .event(1), by: "cli:ana")
        _ = try await moderation.edit(1, by: "cli:ana", if: nil) { _ in .at(1, 1) }
        let deleted = try await stores.events.create(.at(0, 0), token: TokenDigest(1))
        let deletion = try await moderation.perform(.delete, .event(deleted ?? 0), by: "cli:ana")
        let kept = try await moderation.action(deletion ?? 0)
        #expect(kept?.before != nil)
        _ = try await moderation.setDeletionCode(
            TokenDigest(3),
            expiresAt: Timestamp(milliseconds: 4_000_000_000_000),
            for: TokenDigest(1)
        )
        _ = try await stores.signIns.rename("Ana", by: TokenDigest(1))
        let identity = Identity(issuer: "https://issuer.example", subject: "ana")
        _ = try await stores.signIns.add(identity, by: TokenDigest(1))
        let email = try #require(EmailAddress("ana@example.com"))
        let new = try NewAccount(email: .text("ana@example.com"), password: .text("12345678"))
        _ = try await stores.accounts.create(new, passwordHash: "hash", token: TokenDigest(4))
        let credentials = try #require(try await stores.accounts.find(email: email))

        _ = try await moderation.deleteUser(token: TokenDigest(1))
        _ = try await moderation.deleteAccount(credentials, by: nil)

        func count(_ sql: SQL) throws -> Int64 {
            try fixture.database.readers.read { connection in
                try connection.first(sql) { $0.int64(0) } ?? -1
            }
        }
        #expect(try count("SELECT count(*) FROM events WHERE owner_id = 1") == 0)
        #expect(try count("SELECT count(*) FROM attendances") == 0)
        #expect(try count("SELECT count(*) FROM blocks") == 0)
        #expect(try count("SELECT count(*) FROM reports WHERE reporter_id = 1") == 0)
        #expect(
            try count("SELECT count(*) FROM reports WHERE reporter_id < 0 AND note IS NULL")
                == 1
        )
        #expect(
            try count(
                "SELECT count(*) FROM reports WHERE record_id = 1 AND resolved_at IS NULL"
            ) == 0
        )
        #expect(
            try count(
                "SELECT count(*) FROM admin_actions WHERE before IS NOT NULL OR after IS NOT NULL"
            ) == 0
        )
        #expect(
            try count(
                """
                SELECT count(*) FROM users WHERE id = 1 AND name IS NULL
                    AND deletion_digest IS NULL AND deletion_expires_at IS NULL
                    AND deleted_at IS NOT NULL
                """
            ) == 1
        )
        #expect(try count("SELECT count(*) FROM user_tokens WHERE user_id = 1") == 0)
        #expect(try count("SELECT count(*) FROM identities") == 0)
        #expect(try count("SELECT count(*) FROM accounts") == 0)
        #expect(try count("SELECT count(*) FROM sessions") == 0)
        #expect(try count("SELECT account_id FROM deleted_accounts") == 1)
        #expect(other.id == 2)
    }
}
