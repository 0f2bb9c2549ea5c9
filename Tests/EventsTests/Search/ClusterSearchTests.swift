import Randomness
import Testing
import Time

@testable import Events

/// Compares the counts in the cells of a map with brute force.
@Suite struct ClusterSearchTests {
    private struct Cluster: Equatable {
        let count: Int
        let latitude: Double
        let longitude: Double
        let id: Int64

        init(_ found: FoundCluster) {
            count = found.count
            latitude = found.latitude
            longitude = found.longitude
            id = found.match.id
        }

        init(of events: [SearchedEvent]) {
            count = events.count
            let number = Double(events.count)
            latitude = Self.rounded(events.map(\.coordinate.latitude).reduce(0, +) / number)
            longitude = Self.rounded(events.map(\.coordinate.longitude).reduce(0, +) / number)
            id = events.map(\.id).min() ?? 0
        }

        private static func rounded(_ degrees: Double) -> Double {
            (degrees * 1e5).rounded() / 1e5 + 0
        }

        /// Returns whether two clusters differ at most in the last digit of the position.
        func isNearly(_ other: Cluster) -> Bool {
            count == other.count && id == other.id
                && abs(latitude - other.latitude) < 2e-5
                && abs(longitude - other.longitude) < 2e-5
        }
    }

    @Test(arguments: 1...4)
    func countsWhatBruteForceCounts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Poles and the antimeridian have several coordinates for one place. They have their own
        // tests.
        let events = generator.events(1500).filter { event in
            abs(event.coordinate.longitude) < 180 && abs(event.coordinate.latitude) < 90
        }
        let snapshot = EventSnapshot(events)
        for round in 1...25 {
            var filter = generator.filter(of: events)
            if round % 2 == 0 {
                // Leaves are counted as a whole only without these.
                filter.origin = nil
                filter.radius = nil
                filter.polygon = nil
                filter.ownerID = nil
            }
            let zoom = Int.random(in: 0...22, using: &generator)
            let query = ClusterQuery(filter: filter, zoom: zoom)
            let cells = Dictionary(grouping: events.filter(filter.contains)) { event in
                query.grid.cell(of: event.coordinate)
            }
            let expected = cells.values.map(Cluster.init(of:)).sorted { one, other in
                (other.count, one.id) < (one.count, other.id)
            }
            let found = try ClusterSearch(
                query,
                attended: filter.attended(in: events),
                EventSearchTests.ample
            ).clusters(in: snapshot).map(Cluster.init)

            #expect(found.count == expected.count, "round \(round)")
            #expect(zip(found, expected).allSatisfy { $0.isNearly($1) }, "round \(round)")
        }
    }

    @Test(arguments: [false, true])
    func opensTheLeavesOfARegionUntilThePageIsKnown(isDescending: Bool) throws {
        var generator = SeededGenerator(seed: 6)
        // The last ends of leaves with long events say little about starts.
        let events = generator.events(5000).filter { $0.end <= $0.startedAt + 86_400_000 }
        var filter = EventFilter()
        filter.box = BoundingBox(west: -170, south: -80, east: 170, north: 80)
        filter.window.includesOngoing = false
        var read = EventRead(sequence: .region, filter: filter, maximumReads: .max)
        let order = EventOrder.start(isDescending: isDescending)
        read.needed = NeededMatches(order: order, start: nil, count: 5)
        let snapshot = EventSnapshot(events)
        var matches: [EventMatch] = []

        let end = snapshot.forEachMatch(of: read) { matches.append($0) }
        read.maximumReads = end.count - 1
        var few = 0
        let shortEnd = snapshot.forEachMatch(of: read) { _ in few += 1 }

        let expected = events.filter(filter.contains).sorted { one, other in
            let (first, second) = isDescending ? (other, one) : (one, other)
            return (first.startedAt, first.id) < (second.startedAt, second.id)
        }
        #expect(matches.map(\.id) == expected.prefix(5).map(\.id))
        #expect(end.isComplete)
        #expect(end.count < expected.count)
        #expect(!shortEnd.isComplete)
        #expect(few == 0)
    }

    @Test func countsBothSidesOfTheAntimeridianAsOneMeridian() throws {
        let events = [-180.0, 180, 179.999, -179.999].enumerated().map { number, longitude in
            SearchedEvent(
                id: Int64(number + 1),
                coordinate: Coordinate(latitude: 10, longitude: longitude)
            )
        }
        let snapshot = EventSnapshot(events)
        let found = try ClusterSearch(
            ClusterQuery(filter: EventFilter(), zoom: 4),
            EventSearchTests.ample
        ).clusters(in: snapshot).map(Cluster.init)

        // The cell east of the meridian, and the cell west of it.
        #expect(found.map(\.count) == [3, 1])
        #expect(found.map(\.id) == [1, 3])
    }

    /// Cells at the antimeridian and at a pole, in boxes that end there.
    @Test(
        arguments: [
            // Latitudes and longitudes, west to north of the box, the zoom level, and the counts.
            (
                [(0.5, 179.99999999999997), (0.5, -179.9), (0.5, 5), (0.5, 95), (0.5, -50)],
                [-180, -90, 180, 90], 0, [2, 1, 1, 1]
            ),
            ([(0.5, 180), (0.5, 175)], [170, -10, 180, 10], 0, [1, 1]),
            (
                [(0.5, 180), (0.5, 179.9), (10, -50), (10, -50)], [-80, -10, 180, 20], 0, [2, 1, 1]
            ),
            ([(-17, 180), (-17, -180), (-16, 179), (-18, 177)], [175, -30, 180, 0], 2, [2, 2]),
            (
                [(0.5, 179.99999999999997), (0.5, 179.7), (0.5, -179.5)], [170, -90, -170, 90], 3,
                [2, 1]
            ),
            ([(90, 140), (86, 131), (86, 159)], [130, 80, 160, 90], 3, [1, 1, 1]),
        ] as [([(Double, Double)], [Double], Int, [Int])]
    )
    func countsAtTheEdgesOfTheMap(
        places: [(Double, Double)],
        edges: [Double],
        zoom: Int,
        counts: [Int]
    ) throws {
        let events = places.enumerated().map { number, place in
            SearchedEvent(
                id: Int64(number + 1),
                coordinate: Coordinate(latitude: place.0, longitude: place.1)
            )
        }
        var filter = EventFilter()
        filter.box = BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        let search = ClusterSearch(
            ClusterQuery(filter: filter, zoom: zoom),
            EventSearchTests.ample
        )

        let found = try search.clusters(in: EventSnapshot(events)).map(Cluster.init)

        #expect(found.map(\.count) == counts)
    }

    /// Events on the edges of cells and boxes, beside them, and far from each other.
    @Test(arguments: 1...10)
    func countsEveryEventInTheBox(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let offsets: [Double] = [0, 0, 0, 3e-14, -3e-14, 1e-10, -1e-10, 2e-9, -2e-9, 1e-3]
        let events = (1...400).map { number in
            let offset = offsets.randomElement(using: &generator) ?? 0
            let longitude = 11.25 * Double(Int.random(in: -16...16, using: &generator)) + offset
            let latitudes: [Double] = [0, 45, 66.51326044311186, 10, 89.95, 90, -90]
            let latitude = latitudes.randomElement(using: &generator) ?? 0
            return SearchedEvent(
                id: Int64(number) << Int64.random(in: 0...40, using: &generator),
                coordinate: Coordinate(
                    latitude: min(90, max(-90, latitude + offset)),
                    longitude: min(180, max(-180, longitude))
                )
            )
        }
        var ids: Set<Int64> = []
        let distinct = events.filter { ids.insert($0.id).inserted }
        let snapshot = EventSnapshot(distinct)
        for _ in 1...60 {
            let west = 11.25 * Double(Int.random(in: -16...16, using: &generator))
            let widths: [Double] = [11.25, 22.5, 90, 180, 360]
            let width = widths.randomElement(using: &generator) ?? 0
            let south = Double(Int.random(in: -9...8, using: &generator)) * 10
            var filter = EventFilter()
            filter.box = BoundingBox(
                west: west,
                south: south,
                east: Bool.random(using: &generator) ? 180 : west + width,
                north: Double.random(in: south...90, using: &generator)
            )
            let search = ClusterSearch(
                ClusterQuery(filter: filter, zoom: .random(in: 0...5, using: &generator)),
                EventSearchTests.ample
            )

            let found = try search.clusters(in: snapshot).map(Cluster.init)

            let expected = distinct.count(where: filter.contains)
            #expect(found.map(\.count).reduce(0, +) == expected)
        }
    }

    /// A point at a pole says nothing about the longitude of its event.
    @Test func countsTheEventsAtAPoleByTheirLongitudes() throws {
        let places = [
            (90.0, 45.0), (90, 45), (90, -100), (89.999999999, 45), (89.95, 45), (89.95, 51),
            (-90, 45), (-90, 179),
        ]
        let events = places.enumerated().map { number, place in
            SearchedEvent(
                id: Int64.max - Int64(number),
                coordinate: Coordinate(latitude: place.0, longitude: place.1)
            )
        }
        for (edges, expected) in [
            ((40.0, 80.0, 50.0, 90.0), 4), ((-101, 90, -99, 90), 1), ((44, -90, 46, -80), 1),
            ((170, -90, -170, -90), 1), ((40, 89, 50, 89.97), 1), ((45, 90, 45, 90), 2),
        ] {
            var filter = EventFilter()
            filter.box = BoundingBox(
                west: edges.0,
                south: edges.1,
                east: edges.2,
                north: edges.3
            )
            let found = try ClusterSearch(
                ClusterQuery(filter: filter, zoom: 0),
                EventSearchTests.ample
            ).clusters(in: EventSnapshot(events))

            #expect(found.map(\.count).reduce(0, +) == expected, "\(edges)")
        }
    }

    /// The greatest id is the lowest one of its cell.
    @Test func showsTheEventWithTheGreatestID() throws {
        let events = [(1, 10.0), (Int64.max, -100.0)].map { id, longitude in
            SearchedEvent(id: id, coordinate: Coordinate(latitude: 5, longitude: longitude))
        }
        let found = try ClusterSearch(
            ClusterQuery(filter: EventFilter(), zoom: 4),
            EventSearchTests.ample
        ).clusters(in: EventSnapshot(events))

        #expect(found.map(\.match.id) == [1, .max])
    }

    /// Sums of doubles would depend on the order of the events, and here decide the last digit.
    @Test(arguments: 1...20)
    func roundsAMeanBetweenTwoDigitsTheSameEverywhere(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = 2 * Int.random(in: 2...40, using: &generator)
        var units = (1..<count).map { _ in Int.random(in: 7_080_000...7_082_000, using: &generator)
        }
        // The mean becomes a half of 1e-5 degrees.
        let rest = (5 * count - units.reduce(0, +)) % (10 * count)
        units.append(rest < 0 ? rest + 10 * count : rest)
        let events = units.shuffled(using: &generator).enumerated().map { index, unit in
            let place = Coordinate(latitude: Double(unit) / 1e6, longitude: -Double(unit) / 1e6)
            return SearchedEvent(id: Int64(index + 1), coordinate: place)
        }
        let expected = Double((units.reduce(0, +) + 5 * count) / (10 * count)) / 1e5
        let found = try ClusterSearch(
            ClusterQuery(filter: EventFilter(), zoom: 0),
            EventSearchTests.ample
        ).clusters(in: EventSnapshot(events))

        #expect(found.map(\.latitude) == [expected])
        #expect(found.map(\.longitude) == [-expected])
    }

    @Test func exceedsTheBoundsRatherThanCountApart() throws {
        var generator = SeededGenerator(seed: 8)
        let snapshot = EventSnapshot(generator.events(500))
        var filter = EventFilter()
        filter.statuses = .any
        for isPartial in [true, false] {
            let bounds = SearchBounds(entries: 499, allowsPartialPages: isPartial)
            let search = ClusterSearch(
                ClusterQuery(filter: filter, zoom: 0),
                bounds
            )
            #expect(throws: SearchExceeded.self) { try search.clusters(in: snapshot) }
        }
        let bounds = SearchBounds(entries: 500, allowsPartialPages: false)
        let all = try ClusterSearch(
            ClusterQuery(filter: filter, zoom: 0),
            bounds
        ).clusters(in: snapshot)
        #expect(all.map(\.count).reduce(0, +) == 500)
    }
}
