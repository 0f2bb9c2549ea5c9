import Model
import Rules
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

@Suite struct AuditTests {
    @Test func `empties a deleted event after 90 days`() async throws {
        let fixture = try StorageFixture()
        let stores = fixture.database.stores
        _ = try await fixture.user(1)
        let events = [Int64(1), 2]
        for _ in events { _ = try await stores.events.create(.at(0, 0), token: TokenDigest(1)) }
        let moderation = stores.moderation
        let deletion = try await moderation.perform(.delete, .event(1), by: "cli:ana") ?? 0
        try await moderation.perform(.hide, .event(2), by: "cli:ana")
        let kept = try await moderation.action(deletion)
        #expect(kept?.before != nil)
        try await fixture.database.writer.write { connection in
            try connection.run(
                "UPDATE admin_actions SET at = at - 7776000001 WHERE action = 'delete'"
            )
        }

        try await moderation.perform(.show, .event(2), by: "cli:ana")

        let emptied = try await moderation.action(deletion)
        #expect(emptied != nil)
        #expect(emptied?.before == nil)
        let error = ModelError.conflict("Action \(deletion) can't be undone.")
        await #expect(throws: error) { _ = try await moderation.undo(deletion, by: "cli:ana") }
    }

    @Test func `lists no long values`() async throws {
        let fixture = try StorageFixture()
        let moderation = fixture.database.stores.moderation
        try await moderation.note(.hide, kind: "event", 1, by: "cli:ana")
        for (length, listed) in [(4_096, 4_096), (4_097, 2)] {
            try await fixture.database.writer.write { connection in
                try connection.run(
                    "UPDATE admin_actions SET before = ?1, after = ?1",
                    .text(String(repeating: "x", count: length))
                )
            }
            let action = try await moderation.actions(before: nil, limit: 1).first
            #expect(action?.before?.count == listed)
            #expect(action?.after?.count == listed)
            let whole = try await moderation.action(1)
            #expect(whole?.before?.count == length)
        }
    }
}
