import Model
import Randomness
import SQLiteStorage
import StorageSupport
import Testing
import Time

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
                representation: .text,
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

    /// More places than a search keeps events, in an order that has nothing to do with distance.
    @Test(arguments: [0, 16_000_000])
    func `finds the nearest of a crowd`(cacheBytes: Int) async throws {
        let owner = try await storage.user()
        var generator = SeededGenerator(seed: 1)
        let crowd = (0..<4000).map { number in
            let latitude = 37.7597 + Double.random(in: -4e-5...4e-5, using: &generator)
            let longitude = -122.427 + Double.random(in: -4e-5...4e-5, using: &generator)
            return EventAttributes.at(latitude, longitude, name: "\(number)")
        }
        _ = try storage.store(
            crowd.map { EventRecord(id: nil, ownerID: owner.id, attributes: $0) }
        )
        let events = SQLiteEventStore(
            SQLiteDatabase(
                writer: storage.database.writer,
                readers: storage.database.readers,
                representation: .text,
                eventCacheBytes: cacheBytes
            )
        )
        let origin = Coordinate(latitude: 37.7597, longitude: -122.427)
        let sorted = crowd.sorted { one, other in
            Coordinate.distance(from: origin.unitVector, to: one.coordinate.unitVector)
                < Coordinate.distance(from: origin.unitVector, to: other.coordinate.unitVector)
        }

        for limit in [1, 20, 100] {
            let found = try await events.nearest(to: origin, within: .infinity, limit: limit)
            #expect(found.map(\.attributes) == Array(sorted.prefix(limit)))
        }
    }
}
