import Model
import SQLiteStorage
import StorageSupport
import Testing

/// A database whose records are being moved.
struct ClosedDatabaseTests {
    private static let rejection = ModelError.unavailable(
        reason: "The data is being moved. Try again in a moment."
    )

    @Test func `rejects writes, goes on reading, and can be opened again`() async throws {
        let storage = try StorageFixture(keepsEvents: true)
        let user = try await storage.user()
        let token = TokenDigest(1)
        let id = try #require(try await storage.events.create(.at(0, 0), token: token))
        let engine = try SQLiteEngine(
            SQLiteEngine.Options(
                path: storage.configuration.path,
                migrations: StorageFixture.migrations(),
                representation: .text
            )
        )

        try engine.moves.close()

        #expect(try engine.moves.isClosed())
        await #expect(throws: Self.rejection) { try await storage.user(2) }
        await #expect(throws: Self.rejection) {
            try await storage.events.create(.at(0, 0), token: token)
        }
        await #expect(throws: Self.rejection) {
            try await storage.events.delete(id: id, ownerID: user.id)
        }
        #expect(try storage.number("SELECT count(*) FROM events") == 1)

        try engine.moves.reopen()
        #expect(try await storage.events.create(.at(0, 0), token: token) == id + 1)
    }
}
