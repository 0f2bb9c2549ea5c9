import Foundation
import HumonClient
import Testing

@Suite struct EventsTests {
    private let here = Coordinate(latitude: 51.05, longitude: 3.72)

    @Test func `creates, finds, changes and deletes an event`() async throws {
        let server = try Server()
        let humon = server.client()
        let user = try await humon.session.signUp()
        var draft = EventDraft(
            name: "Late jazz",
            at: Coordinate(latitude: 51.0545, longitude: 3.7221),
            startedAt: Date(timeIntervalSince1970: 2_095_956_000.123)
        )
        draft.tags = ["jazz", "live music"]
        draft.data = try EventData(["price": 5.25])

        let id = try await humon.events.create(draft)
        let event = try await humon.events.event(id)
        var found: [Event] = []
        for try await event in humon.events.search(.near(here, radius: .kilometers(5))) {
            found.append(event)
        }
        var changes = EventChanges()
        changes.name = .set("Jazz")
        changes.tags = .clear
        try await humon.events.update(id, changes, ifMatch: event.version)
        let changed = try await humon.events.event(id)
        await #expect(throws: HumonError.self) {
            try await humon.events.delete(id, ifMatch: event.version)
        }
        try await humon.events.delete(id, ifMatch: changed.version)

        #expect(event.owner.id == user.id)
        #expect(event.startedAt == draft.startedAt)
        #expect(event.tags == draft.tags)
        #expect(event.data == draft.data)
        #expect(found.map(\.id) == [id])
        #expect(found.first?.distance.map { ($0.meters * 1000).rounded() } == 521_463)
        #expect(changed.name == "Jazz")
        #expect(changed.tags == [])
        do {
            _ = try await humon.events.event(id)
            Issue.record("The event is there.")
        } catch {
            #expect(error.kind == .notFound)
            #expect(error.localizedDescription == "Not Found")
        }
    }
}
