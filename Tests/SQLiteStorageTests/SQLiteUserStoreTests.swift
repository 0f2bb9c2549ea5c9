import SQLite
import StorageSupport
import System
import Testing
import Time

struct SQLiteUserStoreTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    @Test func `notes when a user was created`() async throws {
        let start = Timestamp.now().milliseconds
        _ = try await storage.user()
        let end = Timestamp.now().milliseconds

        let time = try #require(try storage.number("SELECT created_at FROM users"))
        #expect(start <= time && time <= end)
    }
}
