import Events
import Model
import Randomness
import Time

extension ConformanceCases {
    static let clusters: [ConformanceCase] =
        [UInt64(1), 2, 3].map { seed in
            ConformanceCase(
                .search,
                "counts the same clusters as a comparison with every event, seed \(seed)"
            ) { subject in
                var generator = SeededGenerator(seed: seed)
                let searched = try await SearchedEvents(400, in: subject, using: &generator)
                for _ in 1...15 {
                    try await subject.expectClusters(
                        of: generator.clusterQuery(of: searched.events),
                        in: searched
                    )
                }
            }
        } + placedClusters

    private static let placedClusters: [ConformanceCase] = [
        ConformanceCase(.search, "counts the current clusters after changes") { subject in
            var generator = SeededGenerator(seed: 8)
            var searched = try await SearchedEvents(200, in: subject, using: &generator)
            for _ in 1...3 {
                try await searched.change(subject, using: &generator)
                for _ in 1...5 {
                    try await subject.expectClusters(
                        of: generator.clusterQuery(of: searched.events),
                        in: searched
                    )
                }
            }
        },
        ConformanceCase(.search, "joins both sides of the antimeridian in a cluster") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 1, longitude: -180), Coordinate(latitude: 1, longitude: 180),
                Coordinate(latitude: 1, longitude: -179.99),
                Coordinate(latitude: 1, longitude: 179.99),
            ])
            for box in [
                BoundingBox.world, BoundingBox(west: 179, south: 0, east: -179, north: 2),
                BoundingBox(west: 179, south: 0, east: 181, north: 2),
            ] {
                try await subject.expectClusters(
                    [
                        ExpectedCluster(3, latitude: 1, longitude: -179.99667, id: ids[0]),
                        ExpectedCluster(1, latitude: 1, longitude: 179.99, id: ids[3]),
                    ],
                    in: box,
                    zoom: 4
                )
            }
        },
        ConformanceCase(.search, "counts places near the poles in the outermost cells") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 85.2, longitude: 10.001),
                Coordinate(latitude: -85.2, longitude: 10.001),
                Coordinate(latitude: 89.8, longitude: 10.001),
                Coordinate(latitude: -89.8, longitude: 10.001),
                Coordinate(latitude: -84, longitude: 10.001),
            ])

            try await subject.expectClusters(
                [
                    ExpectedCluster(2, latitude: 87.5, longitude: 10.001, id: ids[0]),
                    ExpectedCluster(2, latitude: -87.5, longitude: 10.001, id: ids[1]),
                    ExpectedCluster(1, latitude: -84, longitude: 10.001, id: ids[4]),
                ],
                in: BoundingBox(west: 10, south: -90, east: 10.01, north: 90),
                zoom: 8
            )
        },
        ConformanceCase(.search, "rounds the mean of places, but not a single place") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 10.0000012, longitude: 20.0000019),
                Coordinate(latitude: 30.0000012, longitude: 40.0000019),
                Coordinate(latitude: 10.0000112, longitude: 20.0000129),
            ])

            try await subject.expectClusters(
                [
                    ExpectedCluster(2, latitude: 10.00001, longitude: 20.00001, id: ids[0]),
                    ExpectedCluster(1, latitude: 30.0000012, longitude: 40.0000019, id: ids[1]),
                ],
                in: .world,
                zoom: 4
            )
        },
    ]
}

/// A cluster that a storage must return.
private struct ExpectedCluster: Equatable {
    let count: Int
    let latitude: Double
    let longitude: Double
    /// The id of its event.
    let id: Int64

    init(_ count: Int, latitude: Double, longitude: Double, id: Int64) {
        self.count = count
        self.latitude = latitude
        self.longitude = longitude
        self.id = id
    }

    /// Creates the cluster of events in the same cell; nil if there are none.
    init?(of events: [Event]) {
        guard let first = events.min(by: { $0.id < $1.id }) else { return nil }
        let places = events.map(\.attributes.coordinate)
        func mean(_ degrees: [Double]) -> Double { degrees.reduce(0, +) / Double(degrees.count) }
        let place = first.attributes.coordinate
        self.init(
            places.count,
            latitude: places.count == 1 ? place.latitude : mean(places.map(\.latitude)),
            longitude: places.count == 1
                ? place.longitude : mean(places.map(Self.longitude)),
            id: first.id
        )
    }

    /// The longitude of a place as a mean sees it: a pole has none, and 180 is -180.
    private static func longitude(_ place: Coordinate) -> Double {
        if abs(place.latitude) == 90 { return 0 }
        return place.longitude == 180 ? -180 : place.longitude
    }
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless the clusters equal the result of comparing every event.
    fileprivate func expectClusters(
        of query: ClusterQuery,
        in searched: SearchedEvents
    ) async throws {
        let cells = Dictionary(grouping: searched.matching(query.filter)) { event in
            query.grid.cell(of: event.attributes.coordinate)
        }
        let expected = cells.values.compactMap(ExpectedCluster.init).sorted { one, other in
            (other.count, one.id) < (one.count, other.id)
        }
        try await expectClusters(expected, of: query, among: searched.events)
    }

    /// Throws `ConformanceFailure` unless these are the clusters of all events in a box.
    fileprivate func expectClusters(
        _ expected: [ExpectedCluster],
        in box: BoundingBox,
        zoom: Int
    ) async throws {
        var filter = EventFilter()
        filter.box = box
        try await expectClusters(
            expected,
            of: ClusterQuery(filter: filter, zoom: zoom),
            among: stored(EventRecord.self).compactMap { record in
                record.id.map {
                    Event(id: $0, ownerID: record.ownerID, attributes: record.attributes)
                }
            }
        )
    }

    private func expectClusters(
        _ expected: [ExpectedCluster],
        of query: ClusterQuery,
        among events: [Event]
    ) async throws {
        let found = try await stores.events.clusters(query)
        try expect("the counts of \(query)", found.map(\.count), equals: expected.map(\.count))
        let events = Dictionary(uniqueKeysWithValues: events.map { ($0.id, $0) })
        try expect(
            "the events of the clusters of \(query)",
            texts(of: found.map(\.event)),
            equals: texts(of: expected.compactMap { events[$0.id] })
        )
        for (found, expected) in zip(found, expected) {
            // A mean is rounded to 1e-5, and the order of the sum changes its last digits.
            let error = expected.count == 1 ? 0 : 0.6e-5
            let places = [
                (found.latitude, expected.latitude), (found.longitude, expected.longitude),
            ]
            for (degrees, mean) in places where abs(degrees - mean) > error {
                throw ConformanceFailure(
                    "the place of the cluster of event \(expected.id)",
                    expected: "\(expected.latitude), \(expected.longitude)",
                    actual: "\(found.latitude), \(found.longitude)"
                )
            }
            try expect(
                "the place of the cluster of event \(expected.id), rounded",
                found.count > 1 && (found.latitude * 1e5).rounded() / 1e5 != found.latitude,
                equals: false
            )
        }
    }
}

extension SeededGenerator {
    /// Returns a query for clusters with random filters.
    fileprivate mutating func clusterQuery(of events: [Event]) -> ClusterQuery {
        var filter = query(of: events).filter
        // A pole belongs to every cell of its row.
        if abs(filter.box?.south ?? 90) == 90 || filter.box?.north == 90 {
            filter.box = BoundingBox(west: -180, south: -89.99, east: 180, north: 89.99)
        }
        return ClusterQuery(filter: filter, zoom: Int.random(in: 0...22, using: &self))
    }
}
