import Model
import Rules
import SQLite
import SQLiteStorage
import StorageSupport
import System
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

        var source: (any MovedRecords)? = try engine.moves.makeSource()
        try await expectRejections(storage, id, user)
        #expect(try !engine.moves.isClosed())
        source = nil
        #expect(try await storage.events.create(.at(0, 0), token: token) == id + 1)

        source = try engine.moves.makeSource()
        try source?.finish()
        #expect(try engine.moves.isClosed())
        try await expectRejections(storage, id, user)
        source = nil
        try await expectRejections(storage, id, user)

        try engine.moves.reopen()
        #expect(try await storage.events.create(.at(0, 0), token: token) == id + 2)
    }

    private func expectRejections(
        _ storage: StorageFixture,
        _ id: Int64,
        _ user: User
    ) async throws {
        let count = try storage.number("SELECT count(*) FROM events")
        await #expect(throws: Self.rejection) { try await storage.user(2) }
        await #expect(throws: Self.rejection) {
            try await storage.events.create(.at(0, 0), token: TokenDigest(1))
        }
        await #expect(throws: Self.rejection) {
            try await storage.events.delete(id, ownerID: user.id, if: nil)
        }
        #expect(try storage.number("SELECT count(*) FROM events") == count)
    }
}
