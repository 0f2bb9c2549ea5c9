import Model
import Randomness
import SQLite
import SQLiteStorage
import Testing

struct NearestTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    /// Stores an event at each point, with ids from 1 on.
    private func store(_ points: [Coordinate]) async throws {
        let imported = points.map { point in
            EventRecord(
                id: nil,
                ownerID: 1,
                attributes: .at(point.latitude, point.longitude)
            )
        }
        _ = try storage.store(imported)
    }

    private func ids(
        near latitude: Double,
        _ longitude: Double,
        within radius: Double,
        limit: Int = 1000
    ) async throws -> [Int64] {
        try await storage.events.nearest(
            to: Coordinate(latitude: latitude, longitude: longitude),
            within: radius,
            limit: limit
        ).map(\.id)
    }

    @Test func `finds what the original found`() async throws {
        try await store([
            Coordinate(latitude: 37.760322, longitude: -122.429667),
            Coordinate(latitude: 37.760321, longitude: -122.429667),
            Coordinate(latitude: 37.687737, longitude: -122.470608),
        ])

        #expect(try await ids(near: 37.771098, -122.430782, within: 5) == [1, 2])
        #expect(try await ids(near: 37.771098, -122.430782, within: 1) == [])
        #expect(try await ids(near: 37.771098, -122.430782, within: 20) == [1, 2, 3])
    }

    @Test func `answers whole events`() async throws {
        let owner = try await storage.user()
        let attributes = EventAttributes(
            name: "Picnic",
            address: "Park",
            coordinate: Coordinate(latitude: 1, longitude: 2),
            startedAt: Timestamp(milliseconds: 5),
            endedAt: Timestamp(milliseconds: 6)
        )
        let id = try storage.store(attributes, ownerID: owner.id)

        let nearest = try await storage.events.nearest(
            to: attributes.coordinate,
            within: 0,
            limit: 1
        )

        #expect(nearest == [Event(id: id, ownerID: owner.id, attributes: attributes)])
    }

    @Test(
        "finds the same as comparing with every event",
        arguments: [UInt64(1), 2, 3],
        [0, 0.001, 0.35, 5, 50, 700, 9000, 20_016, 20_100, 1e300]
    )
    func bruteForce(seed: UInt64, radius: Double) async throws {
        var generator = SeededGenerator(seed: seed)
        let points = scatter(3000, using: &generator)
        try await store(points)

        for origin in origins(among: points, using: &generator) {
            for limit in [1, 20, 33, 1000] {
                let found = try await storage.events.nearest(
                    to: origin,
                    within: radius,
                    limit: limit
                ).map(\.id)
                let expected = bruteForceIDs(points, near: origin, within: radius, limit: limit)
                #expect(found == expected, "near \(origin), limit \(limit)")
            }
        }
    }

    @Test func `includes what is exactly at the radius`() async throws {
        let origin = Coordinate(latitude: 37.771098, longitude: -122.430782)
        let point = Coordinate(latitude: 37.760322, longitude: -122.429667)
        try await store([point])
        let distance = origin.distance(to: point)

        for (radius, expected) in [(distance, [Int64(1)]), (distance.nextDown, [])] {
            let found = try await storage.events.nearest(to: origin, within: radius, limit: 10)
            #expect(found.map(\.id) == expected)
        }
    }

    @Test func `orders many events at the same place by id`() async throws {
        let here = Coordinate(latitude: 12.345678, longitude: 98.765432)
        try await store([Coordinate](repeating: here, count: 400))

        #expect(try await ids(near: 12.3, 98.7, within: 100, limit: 50) == Array(1...50))
        #expect(try await ids(near: 12.3, 98.7, within: 100) == Array(1...400))
    }

    @Test(
        "finds nothing for what is no radius and no limit",
        arguments: [(-0.001, 10), (.nan, 10), (-.infinity, 10), (100, 0), (100, -1)]
    )
    func nothing(radius: Double, limit: Int) async throws {
        try await store([Coordinate(latitude: 0, longitude: 0)])

        #expect(try await ids(near: 0, 0, within: radius, limit: limit) == [])
    }

    @Test func `finds everything within an infinite radius`() async throws {
        try await store([
            Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: 0, longitude: 0),
        ])

        #expect(try await ids(near: 0, 0, within: .infinity, limit: Int.max) == [2, 1])
    }

    @Test func `finds nothing from nowhere`() async throws {
        try await store([Coordinate(latitude: 0, longitude: 0)])

        #expect(try await ids(near: .nan, 0, within: 100) == [])
    }

    @Test func `finds an event where it was moved to`() async throws {
        let owner = try await storage.user()
        let id = try storage.store(.at(10, 10), ownerID: owner.id)

        try await storage.events.update(id, ownerID: owner.id) { _ in .at(-10, 170) }

        #expect(try await ids(near: 10, 10, within: 100) == [])
        #expect(try await ids(near: -10, 170, within: 0) == [id])
    }

    @Test func `does not find a deleted event`() async throws {
        let owner = try await storage.user()
        let id = try storage.store(.at(10, 10), ownerID: owner.id)

        try await storage.events.delete(id, ownerID: owner.id)

        #expect(try await ids(near: 10, 10, within: 100) == [])
    }

    @Test func `keeps the tree true to the events through random changes`() async throws {
        var generator = SeededGenerator(seed: 5)
        var points = scatter(600, using: &generator)
        try await store(points)
        var deleted: Set<Int> = []

        for _ in 1...600 {
            let index = Int(generator.next() % 600)
            let id = Int64(index + 1)
            guard !deleted.contains(index) else { continue }
            if generator.next() % 3 == 0 {
                try await storage.events.delete(id, ownerID: 1)
                deleted.insert(index)
            } else {
                let point = scatter(1, using: &generator)[0]
                try await storage.events.update(id, ownerID: 1) { attributes in
                    var moved = attributes
                    moved.coordinate = point
                    return moved
                }
                points[index] = point
            }
        }

        for (origin, radius) in [(Coordinate(latitude: 0, longitude: 0), Double.infinity)]
            + origins(among: points, using: &generator).map({ ($0, 1000) })
        {
            let found = try await ids(near: origin.latitude, origin.longitude, within: radius)
            let expected = bruteForceIDs(points, near: origin, within: radius, limit: 1000)
                .filter { !deleted.contains(Int($0 - 1)) }
            #expect(found == expected)
        }
        let check = try storage.database.readers.read { connection in
            try connection.first("SELECT rtreecheck('events_rtree')") { $0.text(0) }
        }
        #expect(check == "ok")
    }

    @Test(
        "reports a damaged tree",
        arguments: [
            // No node, a part of a head, a part of a cell, too high, and a root below itself.
            nil, [0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 11, 0, 0],
            [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 24),
        ] as [[UInt8]?]
    )
    func damage(node: [UInt8]?) async throws {
        try await storage.database.writer.write { connection in
            // A plain table in its place, because SQLite does not let anyone damage the real one.
            try connection.run("DROP TABLE events_rtree")
            try connection.run("CREATE TABLE events_rtree_node (nodeno INTEGER PRIMARY KEY, data)")
            guard let node else { return }
            try connection.run("INSERT INTO events_rtree_node VALUES (1, ?)", .blob(node))
        }

        let error = await #expect(throws: ModelError.self) {
            try await ids(near: 0, 0, within: .infinity)
        }

        #expect(error == .storage(cause: "SQLite error 11: node 1 of events_rtree is damaged"))
    }
}
