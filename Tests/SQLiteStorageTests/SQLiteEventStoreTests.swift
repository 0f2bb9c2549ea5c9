import Model
import SQLite
import SQLiteStorage
import Testing

private struct Refusal: Error {}

private let picnic = EventAttributes(
    name: "Picnic 🧺 'n' Sá\u{301}",
    address: "Dolores Park",
    coordinate: Coordinate(latitude: 37.759705, longitude: -122.427103),
    startedAt: Timestamp(milliseconds: 1_379_289_600_123),
    endedAt: Timestamp(milliseconds: -1)
)

private let bare = EventAttributes(
    name: "b",
    coordinate: Coordinate(latitude: -90, longitude: 180),
    startedAt: Timestamp(milliseconds: 0)
)

struct SQLiteEventStoreTests {
    private let storage: StorageFixture
    private let events: SQLiteEventStore

    init() throws {
        storage = try StorageFixture()
        events = storage.events
    }

    @Test func `forgets thousands of events that it has kept when one of them changes`()
        async throws
    {
        let owner = try await storage.user()
        let imported = (0..<1500).map { _ in
            EventRecord(id: nil, ownerID: owner.id, attributes: picnic)
        }
        _ = try storage.store(imported)
        for id in Int64(1)...1500 { #expect(try await events.find(id)?.attributes == picnic) }

        try await events.update(1500, ownerID: owner.id) { _ in bare }

        #expect(try await events.find(1500)?.attributes == bare)
        #expect(try await events.find(1)?.attributes == picnic)
        let near = try await events.nearest(to: picnic.coordinate, within: 1, limit: 2000)
        #expect(near.map(\.id) == Array(1...1499))
    }

    @Test func `finds the same where nothing may be kept`() async throws {
        let owner = try await storage.user()
        let forgetful = SQLiteEventStore(
            SQLiteDatabase(
                writer: storage.database.writer,
                readers: storage.database.readers,
                eventCacheBytes: 0
            )
        )
        let id = try storage.store(picnic, ownerID: owner.id)

        for _ in 0..<2 {
            #expect(try await forgetful.find(id)?.attributes == picnic)
            let near = try await forgetful.nearest(to: picnic.coordinate, within: 0, limit: 9)
            #expect(near.map(\.attributes) == [picnic])
        }
    }

    @Test("finds an event as it was created", arguments: [picnic, bare])
    func find(attributes: EventAttributes) async throws {
        let owner = try await storage.user()

        let id = try storage.store(attributes, ownerID: owner.id)

        let expected = Event(id: id, ownerID: owner.id, attributes: attributes)
        #expect(try await events.find(id) == expected)
    }

    @Test("finds none under another id", arguments: [0, -1, 2, Int64.max, Int64.min])
    func findNone(id: Int64) async throws {
        let owner = try await storage.user()
        _ = try storage.store(picnic, ownerID: owner.id)

        #expect(try await events.find(id) == nil)
    }

    @Test("replaces the owner's event", arguments: [(picnic, bare), (bare, picnic)])
    func update(before: EventAttributes, after: EventAttributes) async throws {
        let owner = try await storage.user()
        let id = try storage.store(before, ownerID: owner.id)

        try await events.update(id, ownerID: owner.id) { attributes in
            attributes == before ? after : attributes
        }

        #expect(
            try await events.find(id) == Event(id: id, ownerID: owner.id, attributes: after)
        )
    }

    @Test func `changes nothing if the change throws`() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)

        await #expect(throws: Refusal.self) {
            try await events.update(id, ownerID: owner.id) { _ in throw Refusal() }
        }

        #expect(try await events.find(id)?.attributes == picnic)
    }

    @Test func `does not even ask for a change of what is not there or another's`() async throws {
        let owner = try await storage.user(1)
        let other = try await storage.user(2)
        let id = try storage.store(picnic, ownerID: owner.id)

        await #expect(throws: ModelError.notFound) {
            try await events.update(id + 1, ownerID: owner.id) { _ in throw Refusal() }
        }
        await #expect(throws: ModelError.forbidden) {
            try await events.update(id, ownerID: other.id) { _ in throw Refusal() }
        }
    }

    @Test func `deletes the owner's event with its attendances and nothing else`() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)
        let kept = try storage.store(bare, ownerID: owner.id)
        _ = try await storage.attendances.findOrCreate(userID: owner.id, eventID: id)
        let attendance = try await storage.attendances.findOrCreate(
            userID: owner.id,
            eventID: kept
        )

        try await events.delete(id, ownerID: owner.id)

        #expect(try await events.find(id) == nil)
        #expect(try await storage.attendances.all(ofEvent: id) == nil)
        #expect(try await storage.attendances.all(ofEvent: kept) == [attendance])
        #expect(try storage.number("SELECT count(*) FROM attendances") == 1)
        #expect(try storage.number("SELECT count(*) FROM events_rtree") == 1)
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `deletes nothing that is not there or another's`() async throws {
        let owner = try await storage.user(1)
        let other = try await storage.user(2)
        let id = try storage.store(picnic, ownerID: owner.id)

        await #expect(throws: ModelError.notFound) {
            try await events.delete(id + 1, ownerID: owner.id)
        }
        await #expect(throws: ModelError.forbidden) {
            try await events.delete(id, ownerID: other.id)
        }
        #expect(try await events.find(id)?.attributes == picnic)
    }

    @Test func `never uses an id again`() async throws {
        let owner = try await storage.user()
        let first = try storage.store(picnic, ownerID: owner.id)
        try await events.delete(first, ownerID: owner.id)

        #expect(try storage.store(picnic, ownerID: owner.id) == first + 1)
    }

    @Test(
        "keeps what no validation let through out of the database",
        arguments: [
            EventAttributes.at(90.5, 0), .at(-90.5, 0), .at(0, 180.5), .at(0, -180.5),
            .at(.nan, 0), .at(0, 0, name: ""), .at(0, 0, name: " \n"),
            .at(0, 0, name: String(repeating: "é", count: 256)),
        ]
    )
    func check(attributes: EventAttributes) async throws {
        let owner = try await storage.user()

        #expect(throws: RefusedEvent.self) {
            try storage.store(attributes, ownerID: owner.id)
        }

        #expect(try storage.number("SELECT count(*) FROM events") == 0)
        #expect(try storage.number("SELECT count(*) FROM events_rtree") == 0)
    }

    @Test func `takes a name of 255 characters`() async throws {
        let owner = try await storage.user()
        let name = String(repeating: "é", count: 255)

        let id = try storage.store(.at(0, 0, name: name), ownerID: owner.id)

        #expect(try await events.find(id)?.attributes.name == name)
    }
}
