import Events
import Randomness
import Testing
import Time

/// Compares searches for a page of events with brute force.
@Suite struct EventSearchTests {
    static let ample = SearchBounds(entries: .max, allowsPartialPages: false)
    private static let limits = [1, 2, 7, 20, 300, 1000]

    @Test(arguments: 1...6)
    func findsWhatBruteForceFinds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(1500)
        let snapshot = EventSnapshot(events)
        for round in 1...150 {
            let filter = generator.filter(of: events)
            var query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: Self.limits.randomElement(using: &generator) ?? 1,
                counts: generator.next() % 2 == 0
            )
            let all = query.positions(in: events)
            if generator.next() % 2 == 0 { query.start = all.randomElement(using: &generator) }
            let search = EventSearch(query, attended: filter.attended(in: events), Self.ample)
            let page = try search.page(in: snapshot)

            let expected = query.expectedPage(of: events)
            #expect(page.matches.map(\.id) == expected.ids, "round \(round): \(query)")
            #expect(page.next == expected.next, "round \(round): \(query)")
            let count = query.counts ? EventCount(all.count, isExact: true) : nil
            #expect(page.count == count, "round \(round): \(query)")
            expectDistances(of: page, query, events)
        }
    }

    /// Compares the distances, which are 0 without a point.
    private func expectDistances(
        of page: FoundPage,
        _ query: EventQuery,
        _ events: [SearchedEvent]
    ) {
        let distances = page.matches.map { match in
            query.filter.origin?.millimetres(to: events[Int(match.id) - 1].point) ?? 0
        }
        #expect(page.matches.map(\.millimetres) == distances)
    }

    @Test(arguments: 1...4, [1, 3, 20, 50])
    func joinedPagesEqualOneBigPage(seed: UInt64, limit: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(300)
        for _ in 1...12 {
            let filter = generator.filter(of: events)
            let query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: limit
            )
            let joined = try Self.joinedPages(of: query, in: events, Self.ample)

            let expected = query.positions(in: events).map(\.id)
            #expect(joined.ids == expected, "\(query)")
            #expect(joined.pageCount == max(1, (expected.count + limit - 1) / limit))
            #expect(joined.isWhole)
        }
    }

    /// Pages must not depend on changes of earlier or later events.
    @Test(arguments: [
        EventOrder.distance, .start(isDescending: false), .start(isDescending: true),
        .id(isDescending: false), .id(isDescending: true),
    ])
    func noEventRepeatsOrDisappearsWhileOthersAreAddedAndDeleted(order: EventOrder) throws {
        var generator = SeededGenerator(seed: 4)
        let steady = generator.events(200)
        var others = generator.events(400).dropFirst(200)
        var filter = EventFilter()
        filter.origin = DirectionOrigin(Coordinate(latitude: 37.8, longitude: -122.4))
        var query = EventQuery(filter: filter, order: order, limit: 7)
        var found: [Int64] = []
        repeat {
            let snapshot = EventSnapshot(steady + others)
            let page = try EventSearch(query, Self.ample).page(in: snapshot)
            found += page.matches.map(\.id)
            query.start = page.next
            others = others.shuffled(using: &generator).dropLast(3)
        } while query.start != nil

        #expect(Set(found).count == found.count)
        let expected = query.positions(in: steady).map(\.id)
        #expect(found.filter { $0 <= 200 } == expected)
    }

    /// Anyone can write a cursor, so its numbers can be any.
    @Test(arguments: [Int64.min, -1, 0, 1, .max], [Int64.min, 0, .max])
    func acceptsEveryPosition(key: Int64, id: Int64) throws {
        var generator = SeededGenerator(seed: 10)
        let events = generator.events(200)
        var filter = EventFilter()
        filter.origin = DirectionOrigin(Coordinate(latitude: 1, longitude: 2))
        let snapshot = EventSnapshot(events)
        for order in [EventOrder.distance, .id(isDescending: true), .start(isDescending: false)] {
            var query = EventQuery(filter: filter, order: order, limit: 3)
            query.start = EventPosition(key: key, id: id)
            let expected = query.expectedPage(of: events)
            let page = try EventSearch(query, Self.ample).page(in: snapshot)
            #expect(page.matches.map(\.id) == expected.ids, "\(order)")
        }
    }

    /// Some events share a millimetre, and the edge of a cap can be between them.
    @Test(arguments: [1, 3])
    func losesNoEventOfOneMillimetre(limit: Int) throws {
        var generator = SeededGenerator(seed: 11)
        let ids = (1...200).map(Int64.init)
        let events = ids.map { id in
            let millimetres = Double.random(in: 0...400, using: &generator)
            return SearchedEvent(
                id: id,
                coordinate: Coordinate(latitude: 70 + millimetres * 9e-9, longitude: 0)
            )
        }
        var filter = EventFilter()
        filter.origin = DirectionOrigin(Coordinate(latitude: 0, longitude: 0))
        // With a box, nothing is known about the density, so that the first caps are small.
        filter.box = BoundingBox(west: -10, south: 0, east: 10, north: 80)
        let query = EventQuery(filter: filter, order: .distance, limit: limit)
        let joined = try Self.joinedPages(of: query, in: events, Self.ample)
        #expect(joined.ids.sorted() == ids)
    }

    @Test func countsUpToTenThousand() throws {
        let here = Coordinate(latitude: 1, longitude: 1)
        let events = (1...10_001).map { SearchedEvent(id: Int64($0), coordinate: here) }
        var filter = EventFilter()
        filter.origin = DirectionOrigin(here)
        for order in [EventOrder.distance, .id(isDescending: false), .start(isDescending: true)] {
            let query = EventQuery(filter: filter, order: order, limit: 5, counts: true)
            for (count, isExact) in [(10_001, false), (10_000, true), (9999, true)] {
                let snapshot = EventSnapshot(Array(events.prefix(count)))
                let page = try EventSearch(query, Self.ample).page(in: snapshot)

                #expect(page.count == EventCount(min(count, 10_000), isExact: isExact))
            }
        }
    }

    @Test(arguments: [0, -1])
    func findsNothingForAnImpossibleLimit(limit: Int) throws {
        let snapshot = EventSnapshot([
            SearchedEvent(id: 1, coordinate: Coordinate(latitude: 0, longitude: 0))
        ])
        let query = EventQuery(
            filter: EventFilter(),
            order: .id(isDescending: false),
            limit: limit,
            counts: true
        )

        let page = try EventSearch(query, Self.ample).page(in: snapshot)

        #expect(page.matches.map(\.id) == [] && page.next == nil)
        #expect(page.count == EventCount(0, isExact: true))
    }

    @Test func findsNothingInAnEmptyWindow() throws {
        let snapshot = EventSnapshot([
            SearchedEvent(id: 1, coordinate: Coordinate(latitude: 0, longitude: 0))
        ])
        var filter = EventFilter()
        filter.window = EventWindow(
            from: Timestamp(milliseconds: 5),
            to: Timestamp(milliseconds: 5)
        )
        let query = EventQuery(filter: filter, order: .id(isDescending: false), limit: 5)

        let page = try EventSearch(query, Self.ample).page(in: snapshot)

        #expect(page.matches.isEmpty && page.next == nil && page.count == nil)
    }

    // MARK: Crowds and empty regions

    @Test(arguments: [1, 20, 300])
    func ordersACrowdOnOnePointByID(limit: Int) throws {
        let here = Coordinate(latitude: 37.77, longitude: -122.43)
        let events = (1...5000).map { SearchedEvent(id: Int64($0), coordinate: here) }
        let snapshot = EventSnapshot(events)
        for place in [here, Coordinate(latitude: 37.76, longitude: -122.43)] {
            var filter = EventFilter()
            filter.origin = DirectionOrigin(place)
            var query = EventQuery(filter: filter, order: .distance, limit: limit)
            let distance = DirectionOrigin(place).millimetres(to: here.unitVector)
            for first: Int64 in [0, 20, 4990, 5000] {
                query.start = first == 0 ? nil : EventPosition(key: distance, id: first)
                let page = try EventSearch(query, Self.ample).page(in: snapshot)

                let last = min(first + Int64(limit), 5000)
                #expect(page.matches.map(\.id) == (first..<last).map { $0 + 1 })
                #expect(
                    page.next == (last < 5000 ? EventPosition(key: distance, id: last) : nil)
                )
            }
        }
    }

    /// A city with thousands of events, and a single event across the ocean.
    @Test func findsTheNearestAcrossAnEmptyOcean() throws {
        var generator = SeededGenerator(seed: 2)
        let city = (1...3000).map { id in
            SearchedEvent(
                id: Int64(id),
                coordinate: Coordinate(
                    latitude: 51.5 + Double.random(in: -0.02...0.02, using: &generator),
                    longitude: -0.1 + Double.random(in: -0.02...0.02, using: &generator)
                )
            )
        }
        let lonely = SearchedEvent(
            id: 3001,
            coordinate: Coordinate(latitude: -40, longitude: -150)
        )
        let events = city + [lonely]
        let snapshot = EventSnapshot(events)
        for place in [
            Coordinate(latitude: -30, longitude: -140), Coordinate(latitude: 40, longitude: -40),
            Coordinate(latitude: 51.5, longitude: 0.3),
            Coordinate(latitude: -51.5, longitude: 179.9),
        ] {
            var filter = EventFilter()
            filter.origin = DirectionOrigin(place)
            for limit in [1, 2, 20] {
                let query = EventQuery(filter: filter, order: .distance, limit: limit)
                let page = try EventSearch(query, Self.ample).page(in: snapshot)

                let expected = query.expectedPage(of: events)
                #expect(page.matches.map(\.id) == expected.ids)
                #expect(page.next == expected.next)
            }
        }
    }

    // MARK: Joining

    /// The joined pages of a query.
    struct JoinedPages {
        var ids: [Int64] = []
        var pageCount = 0
        /// Whether no page before the last one was cut off by a bound.
        var isWhole = true
    }

    /// Requests up to 400 pages; each page must make progress.
    static func joinedPages(
        of query: EventQuery,
        in events: [SearchedEvent],
        _ bounds: SearchBounds
    ) throws -> JoinedPages {
        let snapshot = EventSnapshot(events)
        let attended = query.filter.attended(in: events)
        var query = query
        var joined = JoinedPages()
        while true {
            let page: FoundPage
            do {
                page = try EventSearch(query, attended: attended, bounds).page(in: snapshot)
            } catch {
                joined.isWhole = false
                return joined
            }
            joined.ids += page.matches.map(\.id)
            joined.pageCount += 1
            #expect(page.matches.count <= query.limit)
            guard let next = page.next else { return joined }
            guard joined.pageCount < 400 else {
                // With few reads, a page is short.
                joined.isWhole = false
                return joined
            }
            if let start = query.start {
                #expect(start.precedes(next, isDescending: query.order.isDescending))
            }
            query.start = next
        }
    }
}
