import Model
import SQLite
import SQLiteStorage
import Testing

@Suite struct SQLiteAccountStoreTests {
    private static func newAccount(_ email: String) throws -> NewAccount {
        try AccountDraft(email: .text(email), password: .text("12345678"))
            .account(isEmailTaken: false)
    }

    @Test func `finds an account by its address and by its token`() async throws {
        let storage = try StorageFixture()
        let store = SQLiteAccountStore(storage.database)

        let account = try await store.create(
            Self.newAccount("ANA@example.com"),
            passwordHash: "hash",
            token: TokenDigest(1)
        )

        let address = try #require(EmailAddress("Ana@Example.com"))
        #expect(account.email == "ana@example.com")
        #expect(
            try await store.find(email: address)
                == AccountCredentials(account: account, passwordHash: "hash")
        )
        #expect(try await store.findID(token: TokenDigest(1)) == account.id)
        #expect(try await store.findID(token: TokenDigest(2)) == nil)
    }

    @Test func `gives no address to two accounts`() async throws {
        let storage = try StorageFixture()
        let store = SQLiteAccountStore(storage.database)
        let new = try Self.newAccount("ana@example.com")
        _ = try await store.create(new, passwordHash: "hash", token: TokenDigest(1))

        await #expect(throws: NewAccount.emailIsTaken) {
            try await store.create(new, passwordHash: "other", token: TokenDigest(2))
        }
        // Nor does the schema, whatever the case of its letters.
        await #expect(throws: SQLiteError.self) {
            try await storage.database.writer.write { connection in
                try connection.run(
                    """
                    INSERT INTO accounts (email, name, created_at, updated_at)
                    VALUES ('ANA@Example.com', '', 0, 0)
                    """
                )
            }
        }
        #expect(try storage.number("SELECT count(*) FROM accounts") == 1)
        #expect(try storage.number("SELECT count(*) FROM sessions") == 1)
    }

    @Test func `ends earlier sessions with each sign-in`() async throws {
        let storage = try StorageFixture()
        let store = SQLiteAccountStore(storage.database)
        let account = try await store.create(
            Self.newAccount("ana@example.com"),
            passwordHash: "hash",
            token: TokenDigest(1)
        )
        let credentials = AccountCredentials(account: account, passwordHash: "hash")

        let isSignedIn = try await store.signIn(
            to: credentials,
            token: TokenDigest(2),
            renewedHash: "renewed"
        )

        #expect(isSignedIn)
        #expect(try await store.findID(token: TokenDigest(1)) == nil)
        #expect(try await store.findID(token: TokenDigest(2)) == account.id)
        let address = try #require(EmailAddress("ana@example.com"))
        #expect(try await store.find(email: address)?.passwordHash == "renewed")
    }

    @Test(arguments: ["changed", nil])
    func `does not sign in with a password that has changed meanwhile`(
        hash: String?
    ) async throws {
        let storage = try StorageFixture()
        let store = SQLiteAccountStore(storage.database)
        let account = try await store.create(
            Self.newAccount("ana@example.com"),
            passwordHash: "hash",
            token: TokenDigest(1)
        )

        let isSignedIn = try await store.signIn(
            to: AccountCredentials(account: account, passwordHash: hash),
            token: TokenDigest(2),
            renewedHash: nil
        )

        #expect(!isSignedIn)
        #expect(try await store.findID(token: TokenDigest(1)) == account.id)
        #expect(try await store.findID(token: TokenDigest(2)) == nil)
    }
}
