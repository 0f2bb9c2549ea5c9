import Events
import Model
import Randomness
import SQLiteStorage
import StorageSupport
import Testing
import Time

struct SQLiteEventStoreTests {
    private let storage: StorageFixture
    private let events: any EventStore

    init() throws {
        storage = try StorageFixture()
        events = storage.events
    }

    /// Some of the places are in the same millimetre.
    @Test func `finds the nearest of a crowd`() async throws {
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
        let origin = Coordinate(latitude: 37.7597, longitude: -122.427)
        let sorted = crowd.sorted { one, other in
            one.coordinate.distance(to: origin) < other.coordinate.distance(to: origin)
        }

        for limit in [1, 20, 100] {
            let found = try await events.nearest(to: origin, within: .infinity, limit: limit)
            #expect(found.map(\.attributes) == Array(sorted.prefix(limit)))
        }
    }
}
