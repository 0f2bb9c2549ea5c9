import Foundation
import HumonClient
import HumonOutbox
import Testing

@Suite struct OutboxTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test func `Writes before the first connection are sent, in the order of each record`()
        async throws
    {
        let server = try Server()
        let humon = server.client()
        let outbox = try Outbox(client: humon, file: folder.appending(path: "outbox.sqlite3"))
        var draft = EventDraft(
            name: "Late jazz",
            at: Coordinate(latitude: 51.0545, longitude: 3.7221),
            startedAt: Date(timeIntervalSince1970: 2_095_956_000)
        )
        draft.tags = ["jazz"]
        let event = try await outbox.create(draft)
        var changes = EventChanges()
        changes.name = .set("Jazz")
        try await outbox.update(event, changes)
        let attendance = try await outbox.attend(event)
        try await outbox.cancel(attendance)
        let other = try await outbox.create(draft)
        try await outbox.delete(other)
        #expect(
            try await outbox.entries.map(\.kind) == [
                .create, .update, .attend, .cancel, .create, .delete,
            ]
        )

        let user = try await humon.session.signUp()
        await outbox.drain()

        #expect(try await outbox.entries == [])
        let id = try #require(try await outbox.id(of: event))
        let found = try await humon.events.page(.owner(.me)).events
        #expect(found.map(\.id) == [id])
        #expect(found.map(\.name) == ["Jazz"])
        #expect(found.map(\.owner.id) == [user.id])
        #expect(try await humon.attendances.list(id).count == 0)
    }
}
