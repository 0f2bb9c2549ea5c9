import Cells
import Model
import Randomness
import StorageSupport
import Testing
import Time

@testable import EventIndex
@testable import SQLiteStorage

/// Searches without events in memory, compared with brute force.
@Suite struct SearchesOfRowsTests {
    /// Where places and owners are read from.
    enum Source: CaseIterable {
        case rows, segments
        /// Segments of which most are outdated, because events were written.
        case outdatedSegments
    }

    private static let count = 3000
    private let storage: StorageFixture
    private let owner: User
    private var records: [EventRecord] = []
    private var generator = SeededGenerator(seed: 7)
    private var events: [(id: Int64, coordinate: Coordinate, start: Int64)] = []

    /// Stores events in crowds, at the poles, at the antimeridian, and everywhere else.
    init() async throws {
        storage = try StorageFixture()
        owner = try await storage.user()
        let centers = [(48.1, 11.6), (-33.9, 151.2), (0, 180), (90, 0), (-89.99, 50)]
        for number in 0..<Self.count {
            let center = centers[number % centers.count]
            let isCrowded = number % 4 > 0
            let latitude = isCrowded ? center.0 : Double.random(in: -90...90, using: &generator)
            let longitude = isCrowded ? center.1 : Double.random(in: -180...180, using: &generator)
            let width = number % 7 == 0 ? 0 : 0.1
            let north = width * Double.random(in: -1...1, using: &generator)
            let east = width * Double.random(in: -1...1, using: &generator)
            let coordinate = Coordinate.wrapping(
                latitude: min(max(latitude + north, -90), 90),
                longitude: longitude + east
            )
            let start = Int64.random(in: 0..<500, using: &generator)
            var attributes = EventAttributes.at(coordinate.latitude, coordinate.longitude)
            attributes.startedAt = Timestamp(milliseconds: start)
            records.append(EventRecord(id: nil, ownerID: owner.id, attributes: attributes))
            events.append((Int64(number + 1), coordinate, start))
        }
    }

    /// Stores the events, and returns what reads them from this source.
    private func database(
        _ source: Source,
        _ searches: BroadSearches = BroadSearches()
    ) throws -> SQLiteDatabase {
        let half = source == .outdatedSegments ? Self.count / 2 : Self.count
        try store(records.prefix(half))
        let database =
            switch source {
            case .rows: storage.events(with: searches).database
            case .segments, .outdatedSegments: try storage.databaseWithSegments(searches)
            }
        try store(records.dropFirst(half))
        return database
    }

    private func store(_ records: ArraySlice<EventRecord>) throws {
        for result in try storage.store(Array(records)) {
            guard case .imported = result else { throw CancellationError() }
        }
    }

    /// Expects the page of a query whose matches have these positions, in its order.
    private func expectPage(
        _ query: EventQuery,
        _ positions: [EventPosition],
        in database: SQLiteDatabase
    ) async throws {
        let expected = positions.filter { position in
            query.start?.precedes(position, isDescending: query.order.isDescending) ?? true
        }
        let page = try await SQLiteEventStore(database).page(query)
        let ids = page.rows.compactMap { row -> Int64? in
            guard case .event(let event) = row.content else { return nil }
            return event.event.id
        }
        let first = expected.prefix(query.limit)
        #expect(ids == first.map(\.id))
        #expect(page.next == (expected.count > query.limit ? first.last : nil))
    }

    /// Starts the thread for long searches, which may read this number of rows.
    private func searches(rows: Int) throws -> BroadSearches {
        var limits = SearchLimits()
        limits.rows = rows
        // The limit of segments.
        limits.entries = rows
        return try BroadSearches(storage.database.readers, limits: limits)
    }

    @Test(arguments: Source.allCases, [1, 20, 300])
    mutating func findThePageAtAnyDistance(source: Source, limit: Int) async throws {
        let database = try database(source)
        for _ in 0..<40 {
            let center = events.randomElement(using: &generator)?.coordinate
            let origin = DirectionOrigin(center ?? Coordinate(latitude: 1, longitude: 2))
            let positions = events.map { event in
                let distance = origin.millimetres(to: event.coordinate.unitVector)
                return EventPosition(key: distance, id: event.id)
            }
            .sorted { $0.precedes($1, isDescending: false) }
            var start = positions.randomElement(using: &generator)
            if Bool.random(using: &generator), let position = start {
                start = EventPosition(key: position.key + 1, id: 0)
            }
            var filter = EventFilter()
            filter.origin = origin
            let query = EventQuery(
                filter: filter,
                order: .distance,
                limit: limit,
                start: start,
                needsEvents: true
            )
            try await expectPage(query, positions, in: database)
        }
    }

    @Test(arguments: Source.allCases, [1, 20, 300])
    mutating func findTheFirstStartsInABox(source: Source, limit: Int) async throws {
        let database = try database(source)
        let boxes = [
            BoundingBox(west: 11.5, south: 48, east: 11.7, north: 48.2), .world,
            BoundingBox(west: 179.95, south: -1, east: -179.95, north: 1),
        ]
        for box in boxes {
            for (hasStart, isDescending) in [(false, false), (true, false), (false, true)] {
                let positions = events.filter { box.contains($0.coordinate) }
                    .map { EventPosition(key: $0.start, id: $0.id) }
                    .sorted { $0.precedes($1, isDescending: isDescending) }
                let start = hasStart ? positions.randomElement(using: &generator) : nil
                var filter = EventFilter()
                filter.box = box
                let query = EventQuery(
                    filter: filter,
                    order: .start(isDescending: isDescending),
                    limit: limit,
                    start: start,
                    needsEvents: true
                )
                try await expectPage(query, positions, in: database)
            }
        }
    }

    @Test(arguments: Source.allCases, [1, 20, 300])
    mutating func findTheFirstEventsOfAnOwner(source: Source, limit: Int) async throws {
        let database = try database(source)
        let boxes = [
            nil, BoundingBox(west: 11.5, south: 48, east: 11.7, north: 48.2),
            BoundingBox(west: 179.95, south: -1, east: -179.95, north: 1),
            BoundingBox(west: 180, south: -1, east: 180, north: 1),
            BoundingBox(west: -10, south: 89.9, east: 100, north: 90),
        ]
        for box in boxes {
            for length in [20, 200, Int64.max / 2] {
                let from = Int64.random(in: 0..<500, using: &generator)
                let isDescending = Bool.random(using: &generator)
                let matches = events.filter { event in
                    (from..<from + length).contains(event.start)
                        && box?.contains(event.coordinate) ?? true
                }
                let positions = matches.map { EventPosition(key: $0.id, id: $0.id) }
                    .sorted { $0.precedes($1, isDescending: isDescending) }
                let isFirstPage = Bool.random(using: &generator)
                let start = isFirstPage ? nil : positions.randomElement(using: &generator)
                var filter = EventFilter()
                filter.ownerID = owner.id
                filter.box = box
                filter.window = EventWindow(
                    from: Timestamp(milliseconds: from),
                    to: Timestamp(milliseconds: from + length)
                )
                let query = EventQuery(
                    filter: filter,
                    order: .id(isDescending: isDescending),
                    limit: limit,
                    start: start,
                    needsEvents: true
                )
                try await expectPage(query, positions, in: database)
            }
        }
    }

    /// Segments are read one by one, and rows are read up to the limit.
    @Test(arguments: Source.allCases, [1, 3, 63, 400, 2 * count])
    func readOnlyAFewMoreEventsOfAnOwnerThanTheLimit(source: Source, reads: Int) throws {
        let database = try database(source)
        for isDescending in [false, true] {
            for needsAll in [false, true] {
                var read = EventRead(
                    sequence: .owned(by: owner.id),
                    filter: EventFilter(),
                    maximumReads: reads
                )
                read.needsAll = needsAll
                read.isDescending = isDescending
                var ids: [Int64] = []

                let end = try SQLiteEventReader(database, usesSegments: database.hasSegments)
                    .forEachMatch(of: read) { match in ids.append(match.id) }

                #expect(end.cost < reads + 8)
                let all = events.map(\.id).sorted { isDescending ? $1 < $0 : $0 < $1 }
                #expect(end.isComplete == (end.count == all.count))
                let expected = needsAll && !end.isComplete ? [] : Array(all.prefix(end.count))
                #expect(ids == expected)
            }
        }
    }

    /// Cells are not divided for events that are all at one place, and never read beyond a limit.
    @Test(arguments: Source.allCases, [2, 100_000])
    func findLaterPagesAmongEventsAtOnePlace(source: Source, rows: Int) async throws {
        let user = try await storage.user(2)
        let place = EventAttributes.at(10, 20)
        let records = (0..<400).map { _ in
            EventRecord(id: nil, ownerID: user.id, attributes: place)
        }
        let ids = try storage.store(records).compactMap { result -> Int64? in
            if case .imported(let id) = result { id } else { nil }
        }
        let searches = try searches(rows: rows)
        defer { searches.stop() }
        let store = SQLiteEventStore(try database(source, searches))
        var filter = EventFilter()
        filter.origin = DirectionOrigin(place.coordinate)
        let query = EventQuery(
            filter: filter,
            order: .distance,
            limit: 3,
            start: EventPosition(key: 0, id: ids[99]),
            needsEvents: true
        )
        guard rows > 400 else {
            let error = await #expect(throws: ModelError.self) {
                try await store.page(query)
            }
            #expect(error == .tooBroad)
            return
        }

        let page = try await store.page(query)

        #expect(page.next == EventPosition(key: 0, id: ids[102]))
    }

    /// Pages that end early continue where they stopped.
    @Test func continueShortPagesByDistance() async throws {
        let searches = try searches(rows: 115)
        defer { searches.stop() }
        let store = SQLiteEventStore(try database(.segments, searches))
        let origin = DirectionOrigin(Coordinate(latitude: 48.1, longitude: 11.6))
        var filter = EventFilter()
        filter.origin = origin
        filter.window = EventWindow(to: Timestamp(milliseconds: 20))
        var query = EventQuery(filter: filter, order: .distance, limit: 50, needsEvents: true)
        query.start = EventPosition(key: 0, id: 0)
        var (ids, pages): (Set<Int64>, Int) = ([], 0)
        while query.start != nil {
            let page = try await store.page(query)
            for row in page.rows {
                guard case .event(let event) = row.content else { continue }
                #expect(ids.insert(event.event.id).inserted)
            }
            query.start = page.next
            pages += 1
        }

        #expect(ids == Set(events.filter { $0.start < 20 }.map(\.id)))
        #expect(pages > ids.count / 50 + 1)
    }

    /// Reads that end at any limit, among segments of which half are outdated, lose no event.
    @Test(arguments: [Source.segments, .outdatedSegments])
    func continueByDistanceAfterAnyLimit(source: Source) throws {
        let database = try database(source)
        var filter = EventFilter()
        let origin = DirectionOrigin(Coordinate(latitude: 48.1, longitude: 11.6))
        filter.origin = origin
        filter.window = EventWindow(to: Timestamp(milliseconds: 20))
        let expected = events.filter { $0.start < 20 }
            .map { EventPosition(key: origin.millimetres(to: $0.coordinate.unitVector), id: $0.id) }
            .sorted { $0.precedes($1, isDescending: false) }
        for reads in Array(1...60) + Array(stride(from: 61, to: 4000, by: 13)) {
            var read = EventRead(sequence: .distances, filter: filter, maximumReads: reads)
            var found: [Int64] = []
            var isComplete = false
            // Without a position to continue from, a search reads in another way.
            while !isComplete {
                let end = try SQLiteEventReader(database, usesSegments: database.hasSegments)
                    .forEachMatch(of: read) { match in found.append(match.id) }
                isComplete = end.isComplete
                guard let last = end.last else { break }
                read.start = last
            }
            #expect(found == expected.prefix(isComplete ? expected.count : found.count).map(\.id))
        }
    }
}
