import Cells
import EventIndex
import Model
import Randomness
import SQLite
import StorageSupport
import Testing
import Time

@testable import SQLiteStorage

/// What is stored in segments, after any changes to events.
struct SegmentRefreshTests {
    private let storage: StorageFixture
    private let owners: [User]
    private var generator = SeededGenerator(seed: 3)

    init() async throws {
        storage = try StorageFixture()
        owners = [try await storage.user(1), try await storage.user(2), try await storage.user(3)]
    }

    private mutating func attributes() -> EventAttributes {
        let isCrowded = Bool.random(using: &generator)
        var attributes = EventAttributes.at(
            isCrowded ? 10 : Double.random(in: -90...90, using: &generator),
            isCrowded ? 20 : Double.random(in: -180...180, using: &generator)
        )
        let start = Int64.random(in: -1000...1000, using: &generator)
        attributes.startedAt = Timestamp(milliseconds: start)
        let length = Int64.random(in: -5...100, using: &generator)
        attributes.endedAt = length == 0 ? nil : Timestamp(milliseconds: start + length)
        return attributes
    }

    private mutating func store(_ count: Int) throws -> [Int64] {
        let records = (0..<count).map { _ in
            let owner = Int.random(in: 0...3, using: &generator) % 3
            return EventRecord(id: nil, ownerID: owners[owner].id, attributes: attributes())
        }
        return try storage.store(records).compactMap { result in
            if case .imported(let id) = result { id } else { nil }
        }
    }

    /// The events of the table in an order.
    private func events(_ order: EventSegment.Order) throws -> [EventSegment.Event] {
        let events = try storage.database.readers.read { connection in
            try connection.all(
                """
                SELECT id, owner_id, latitude, longitude, started_at, ended_at, cell FROM events
                """
            ) { row in
                let key = order == .cells ? row.int64(6) : row.int64(1)
                return EventSegment.Event(key: key, keys: EventKeys(row))
            }
        }
        return events.sorted { $0.position.precedes($1.position, isDescending: false) }
    }

    /// Expects that each segment is outdated or has the events that belong to it, and returns the
    /// number of those that are outdated.
    @discardableResult
    private func expectSegments(_ order: EventSegment.Order) throws -> Int {
        var rest = try events(order)[...]
        let segments = try storage.segments(order)
        for segment in segments {
            let expected = rest.prefix { !segment.end.precedes($0.position, isDescending: false) }
            rest = rest.dropFirst(expected.count)
            guard let events = segment.events else {
                #expect(segment.edges == [-90, 90, -180, 180])
                continue
            }
            #expect(events.map(\.position) == expected.map(\.position))
            #expect(events.map(\.keys.coordinate) == expected.map(\.keys.coordinate))
            #expect(events.map(\.keys.values) == expected.map(\.keys.values))
            #expect(events.count <= EventSegment.capacity(of: order))
            let places = expected.map(\.keys.coordinate)
            guard let south = places.map(\.latitude).min(),
                let north = places.map(\.latitude).max(),
                let west = places.map(\.longitude).min(), let east = places.map(\.longitude).max()
            else { continue }
            #expect(segment.edges == [south, north, west, east])
        }
        #expect(rest.isEmpty)
        #expect(segments.last?.end == .last)
        return segments.count { $0.events == nil }
    }

    @Test(arguments: [0, 1, 39, 40, 41, 50, 51, 500, 4095, 4096, 4097, 9000])
    mutating func haveAllEvents(count: Int) throws {
        _ = try store(count)

        _ = try storage.databaseWithSegments()

        for order in EventSegment.Order.allCases {
            #expect(try expectSegments(order) == 0)
            let least = count / EventSegment.capacity(of: order)
            #expect(try storage.segments(order).count <= least * 3 / 2 + 2)
        }
    }

    @Test mutating func haveThePointsOfTheirPlaces() throws {
        _ = try store(60)
        _ = try storage.databaseWithSegments()
        let count = try storage.database.readers.read { connection in
            var count = 0
            try connection.rows("SELECT ordering, events FROM event_segments_2") { row in
                let order = EventSegment.Order(rawValue: row.int64(0)) ?? .cells
                unsafe row.withUnsafeBlob(1) { bytes in
                    let segment = unsafe EventSegment(order, bytes)
                    for index in 0..<segment.count {
                        let point = segment.keys(at: index).coordinate.unitVector
                        #expect(segment.point(at: index) == point)
                        count += 1
                    }
                }
                return .next
            }
            return count
        }
        #expect(count == 120)
    }

    /// Any kind of change, and any number of them until the segments are brought up to date.
    @Test mutating func areOutdatedAfterChangesOnly() throws {
        var ids = try store(700)
        _ = try storage.databaseWithSegments()
        let connection = try Connection(storage.configuration, .readWrite)
        for round in 0..<60 {
            for _ in 0...(round % 5) {
                let place = attributes().coordinate
                let index = Int.random(in: ids.indices, using: &generator)
                let values: [Value] = [
                    .real(place.latitude), .real(place.longitude), .integer(place.cell),
                    .integer(ids[index]),
                ]
                switch Int.random(in: 0...8, using: &generator) {
                case 0: ids += try store(Int.random(in: 1...80, using: &generator))
                case 1:
                    try connection.run("DELETE FROM events WHERE id = ?", .integer(ids[index]))
                    ids.remove(at: index)
                case 2:
                    try connection.rows(
                        "UPDATE events SET latitude = ?, longitude = ?, cell = ? WHERE id = ?",
                        values: values
                    ) { _ in .next }
                case 3:
                    try connection.run(
                        "UPDATE events SET ended_at = started_at + 7 WHERE id = ?",
                        .integer(ids[index])
                    )
                case 4:
                    try connection.run(
                        "UPDATE events SET owner_id = ? WHERE id = ?",
                        .integer(owners[round % 3].id),
                        .integer(ids[index])
                    )
                case 5:
                    // Deletes the event that has the id, without a trigger for that.
                    try connection.rows(
                        """
                        INSERT OR REPLACE INTO events (
                            owner_id, name, latitude, longitude, started_at, created_at,
                            updated_at, cell, id
                        ) SELECT owner_id % 3 + 1, 'new', ?, ?, 7, 0, 0, ?, id
                        FROM events WHERE id = ?
                        """,
                        values: values
                    ) { _ in .next }
                case 6:
                    let other = Int.random(in: ids.indices, using: &generator)
                    guard other != index else { continue }
                    try connection.run(
                        "UPDATE OR REPLACE events SET id = ? WHERE id = ?",
                        .integer(ids[other]),
                        .integer(ids[index])
                    )
                    ids.remove(at: index)
                case 7:
                    let id = Int64.random(in: 2_000_000...9_000_000, using: &generator)
                    try connection.run(
                        "UPDATE OR IGNORE events SET rowid = ? WHERE id = ?",
                        .integer(id),
                        .integer(ids[index])
                    )
                    if connection.changes == 1 { ids[index] = id }
                default:
                    let id = Int64.random(in: 100_000...1_000_000, using: &generator)
                    try connection.run(
                        "UPDATE OR IGNORE events SET id = ? WHERE id = ?",
                        .integer(id),
                        .integer(ids[index])
                    )
                    if connection.changes == 1 { ids[index] = id }
                }
            }
            for order in EventSegment.Order.allCases {
                #expect(try expectSegments(order) > 0)
            }
            guard round % 3 == 0 else { continue }
            _ = try storage.databaseWithSegments()
            for order in EventSegment.Order.allCases {
                #expect(try expectSegments(order) == 0)
            }
        }
    }

    /// A search reads nothing of a name.
    @Test mutating func areNotOutdatedByAName() throws {
        let ids = try store(10)
        _ = try storage.databaseWithSegments()

        try Connection(storage.configuration, .readWrite).run(
            "UPDATE events SET name = 'other', address = 'there', updated_at = 5 WHERE id = ?",
            .integer(ids[3])
        )

        for order in EventSegment.Order.allCases { #expect(try expectSegments(order) == 0) }
    }

    /// As many as are read at once, the last of which is the end of a segment.
    @Test(arguments: [4095, 4096, 4097])
    mutating func growByAnyNumberOfEvents(count: Int) throws {
        _ = try store(300)
        _ = try storage.databaseWithSegments()
        let events = try #require(try storage.segments(.cells).first?.events)
        let place = try #require(events.first).keys.coordinate
        let attributes = EventAttributes.at(place.latitude, place.longitude)
        let records = (events.count..<count).map { _ in
            EventRecord(id: nil, ownerID: owners[0].id, attributes: attributes)
        }
        for result in try storage.store(records) {
            guard case .imported = result else { throw CancellationError() }
        }

        _ = try storage.databaseWithSegments()

        for order in EventSegment.Order.allCases {
            #expect(try expectSegments(order) == 0)
            let ends = try storage.segments(order).map(\.end)
            #expect(Set(ends).count == ends.count)
        }
    }

    /// Another program may do that; a search then reads the table.
    @Test mutating func areCreatedAgainAfterTheyWereDeleted() async throws {
        _ = try store(100)
        let database = try storage.databaseWithSegments()
        try Connection(storage.configuration, .readWrite).run("DELETE FROM event_segments_2")
        var filter = EventFilter()
        filter.box = .world
        let query = EventQuery(
            filter: filter,
            order: .start(isDescending: false),
            limit: 200,
            needsEvents: true
        )

        #expect(try await SQLiteEventStore(database).page(query).rows.count == 100)
        let place = Coordinate(latitude: 1, longitude: 2)
        let nearest = try await SQLiteEventStore(database).nearest(
            to: place,
            within: 30_000,
            limit: 200
        )
        #expect(nearest.count == 100)

        _ = try storage.databaseWithSegments()
        for order in EventSegment.Order.allCases { #expect(try expectSegments(order) == 0) }
    }

    @Test mutating func areJoinedIfTheyHaveFewEvents() throws {
        let ids = try store(600)
        _ = try storage.databaseWithSegments()
        let counts = try EventSegment.Order.allCases.map { try storage.segments($0).count }
        let connection = try Connection(storage.configuration, .readWrite)

        for id in ids where id % 20 != 0 {
            try connection.run("DELETE FROM events WHERE id = ?", .integer(id))
        }
        _ = try storage.databaseWithSegments()

        for (order, count) in zip(EventSegment.Order.allCases, counts) {
            #expect(try expectSegments(order) == 0)
            #expect(try storage.segments(order).count < count / 2)
        }
    }

    /// Deleting a user deletes nothing else, so their events must go first.
    @Test mutating func areEmptyWithoutEvents() throws {
        _ = try store(200)
        _ = try storage.databaseWithSegments()

        try Connection(storage.configuration, .readWrite).run("DELETE FROM events")
        _ = try storage.databaseWithSegments()

        for order in EventSegment.Order.allCases {
            let segments = try storage.segments(order)
            #expect(segments.map(\.end) == [.last])
            #expect(segments.first?.events?.count == 0)
        }
    }
}
