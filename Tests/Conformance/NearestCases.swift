import Events
import Model
import Randomness

extension ConformanceCases {
    static let nearest: [ConformanceCase] =
        [UInt64(1), 2, 3].map { seed in
            ConformanceCase(
                .nearest,
                "finds the same as a comparison with every event, seed \(seed)"
            ) { subject in
                try await compareWithBruteForce(subject, seed: seed)
            }
        } + nearestPlaces + nearestEdges

    private static let nearestPlaces: [ConformanceCase] = [
        ConformanceCase(.nearest, "finds events in a city") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 37.760322, longitude: -122.429667),
                Coordinate(latitude: 37.760321, longitude: -122.429667),
                Coordinate(latitude: 37.687737, longitude: -122.470608),
            ])
            let origin = Coordinate(latitude: 37.771098, longitude: -122.430782)

            try await subject.expectNearest(Array(ids.prefix(2)), to: origin, within: 5)
            try await subject.expectNearest([], to: origin, within: 1)
            try await subject.expectNearest(ids, to: origin, within: 20)
        },
        ConformanceCase(.nearest, "returns events as they are stored") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)

            try await expect(
                "the nearest events",
                subject.nearest(
                    to: EventAttributes.picnic.coordinate,
                    within: 0,
                    limit: 1
                ),
                equals: [Event(id: id, ownerID: owner.id, attributes: .picnic)]
            )
        },
        ConformanceCase(.nearest, "finds an event only where it was moved to") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.at(10, 10))
            let (before, after) = (
                Coordinate(latitude: 10, longitude: 10), Coordinate(latitude: -10, longitude: 170)
            )
            try await subject.expectNearest([id], to: before, within: 100)

            try await subject.events.update(id, ownerID: owner.id) { _ in .at(after) }

            try await subject.expectNearest([], to: before, within: 100)
            try await subject.expectNearest([id], to: after, within: 0)
        },
        ConformanceCase(.nearest, "does not find a deleted event") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.at(10, 10))
            let place = Coordinate(latitude: 10, longitude: 10)
            try await subject.expectNearest([id], to: place, within: 100)

            try await subject.events.delete(id, ownerID: owner.id)

            try await subject.expectNearest([], to: place, within: 100)
        },
        ConformanceCase(.nearest, "finds what is there after random changes") { subject in
            try await compareAfterChanges(subject)
        },
    ]

    private static let nearestEdges: [ConformanceCase] = [
        ConformanceCase(.nearest, "includes an event exactly at the radius") { subject in
            let origin = Coordinate(latitude: 37.771098, longitude: -122.430782)
            let point = Coordinate(latitude: 37.760322, longitude: -122.429667)
            let ids = try subject.store([point])
            let distance = origin.distance(to: point)

            try await subject.expectNearest(ids, to: origin, within: distance)
            try await subject.expectNearest([], to: origin, within: distance.nextDown)
        },
        ConformanceCase(.nearest, "finds the same place within a radius of 0") { subject in
            // A pole has every longitude, and 180 is -180.
            let ids = try subject.store([
                Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: 90, longitude: 77),
                Coordinate(latitude: 5, longitude: 180), Coordinate(latitude: 5, longitude: -180),
                Coordinate(latitude: 5, longitude: 179.999),
            ])
            let pole = Coordinate(latitude: 90, longitude: -120)
            let antimeridian = Coordinate(latitude: 5, longitude: -180)

            try await subject.expectNearest(Array(ids.prefix(2)), to: pole, within: 0)
            try await subject.expectNearest(
                Array(ids.dropFirst(2).prefix(2)),
                to: antimeridian,
                within: 0
            )
        },
        ConformanceCase(.nearest, "finds what is within half the globe") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: 0, longitude: 89.9),
                Coordinate(latitude: 0, longitude: -90.1), Coordinate(latitude: -80, longitude: 3),
            ])
            let origin = Coordinate(latitude: 0, longitude: 0)
            let quarter = Coordinate.sphereRadius * Double.pi / 2
            let nearest = try await subject.nearest(to: origin, within: quarter, limit: 9)

            try expect(
                "the ids within \(quarter) km",
                nearest.map(\.id).sorted(),
                equals: Array(ids.dropFirst().prefix(1) + ids.dropFirst(3))
            )
            try await expect(
                "the farthest within \(2 * quarter) km",
                subject.nearest(to: origin, within: 2 * quarter, limit: 9).map(\.id).last,
                equals: ids.first
            )
        },
        ConformanceCase(.nearest, "orders events at the same place by id") { subject in
            let here = Coordinate(latitude: 12.345678, longitude: 98.765432)
            let ids = try subject.store([Coordinate](repeating: here, count: 400))
            let origin = Coordinate(latitude: 12.3, longitude: 98.7)

            try await subject.expectNearest(
                Array(ids.prefix(50)),
                to: origin,
                within: 100,
                limit: 50
            )
            try await subject.expectNearest(ids, to: origin, within: 100)
        },
        ConformanceCase(.nearest, "finds nothing within an impossible radius or limit") { subject in
            let origin = Coordinate(latitude: 0, longitude: 0)
            _ = try subject.store([origin])

            for (radius, limit) in [
                (-0.001, 10), (.nan, 10), (-.infinity, 10), (100, 0), (100, -1),
            ] {
                try await subject.expectNearest([], to: origin, within: radius, limit: limit)
            }
        },
        ConformanceCase(.nearest, "finds everything within an infinite radius") { subject in
            let ids = try subject.store([
                Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: 0, longitude: 0),
            ])

            try await subject.expectNearest(
                ids.reversed(),
                to: Coordinate(latitude: 0, longitude: 0),
                within: .infinity,
                limit: .max
            )
        },
        ConformanceCase(.nearest, "finds nothing from an origin that is not a number") { subject in
            _ = try subject.store([Coordinate(latitude: 0, longitude: 0)])

            try await subject.expectNearest(
                [],
                to: Coordinate(latitude: .nan, longitude: 0),
                within: 100
            )
        },
    ]

    private static func compareWithBruteForce(
        _ subject: ConformanceSubject,
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let points = scatter(3000, using: &generator)
        let ids = try subject.store(points)
        let radii = [0, 0.001, 0.35, 5, 50, 700, 9000, 20_016, 20_100, 1e300]

        for origin in origins(among: points, using: &generator) {
            let expected = BruteForce(zip(ids, points).map { (id: $0, place: $1) }, near: origin)
            for radius in radii {
                for limit in [1, 20, 33, 1000] {
                    try await subject.expectNearest(
                        expected.ids(within: radius, limit: limit),
                        to: origin,
                        within: radius,
                        limit: limit
                    )
                }
            }
        }
    }

    private static func compareAfterChanges(_ subject: ConformanceSubject) async throws {
        var generator = SeededGenerator(seed: 5)
        let points = scatter(600, using: &generator)
        var places = Dictionary(uniqueKeysWithValues: zip(try subject.store(points), points))
        let ids = places.keys.sorted()

        for _ in 1...600 {
            guard let id = ids.randomElement(using: &generator), places[id] != nil else { continue }
            if generator.next() % 3 == 0 {
                try await subject.events.delete(id, ownerID: 1)
                places[id] = nil
            } else if let place = scatter(1, using: &generator).first {
                try await subject.events.update(id, ownerID: 1) { attributes in
                    var moved = attributes
                    moved.coordinate = place
                    return moved
                }
                places[id] = place
            }
        }

        let searches =
            [(Coordinate(latitude: 0, longitude: 0), Double.infinity)]
            + origins(among: points, using: &generator).map { ($0, 1000) }
        for (origin, radius) in searches {
            let expected = BruteForce(places.map { (id: $0, place: $1) }, near: origin)
            try await subject.expectNearest(
                expected.ids(within: radius, limit: 1000),
                to: origin,
                within: radius
            )
        }
    }
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless these are the ids of the nearest events.
    func expectNearest(
        _ ids: [Int64],
        to origin: Coordinate,
        within radius: Double,
        limit: Int = 1000
    ) async throws {
        try await expect(
            """
            the ids of at most \(limit) events within \(radius) km of \
            \(origin.latitude), \(origin.longitude)
            """,
            nearest(to: origin, within: radius, limit: limit).map(\.id),
            equals: ids
        )
    }
}
