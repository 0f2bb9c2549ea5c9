import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

struct SQLiteAccountStoreTests {
    @Test func `gives no address to two accounts, in whatever case`() async throws {
        let storage = try StorageFixture()
        let write = { (email: String) in
            try await storage.database.writer.write { connection in
                try connection.run(
                    """
                    INSERT INTO accounts (email, name, created_at, updated_at)
                    VALUES (?, '', 0, 0)
                    """,
                    .text(email)
                )
            }
        }
        try await write("ana@example.com")

        await #expect(throws: SQLiteError.self) { try await write("ANA@Example.com") }

        #expect(try storage.number("SELECT count(*) FROM accounts") == 1)
    }
}
