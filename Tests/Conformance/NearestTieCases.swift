import Events
import Model
import Randomness

extension ConformanceCases {
    static let nearestTies: [ConformanceCase] =
        [UInt64(4), 5, 6].map { seed in
            ConformanceCase(
                .nearest,
                "finds the same at the poles and the antimeridian, seed \(seed)"
            ) { subject in
                var generator = SeededGenerator(seed: seed)
                let points = grid(500, using: &generator)
                let ids = try subject.store(points)
                let origins =
                    [(90, 0), (-90, 180), (0, 180), (0, -180), (0.005, 179.995), (89.99, -30)]
                    .map { Coordinate(latitude: $0.0, longitude: $0.1) }
                    + grid(4, using: &generator)

                for origin in origins {
                    let expected = BruteForce(
                        zip(ids, points).map { (id: $0, place: $1) },
                        near: origin
                    )
                    // The grid has steps of about 1.1 km.
                    for radius in [0, 1.2, 2.3, 5.6, 20_100] {
                        for limit in [1, 2, 3, 7, 50, 1000] {
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
        } + equalDistances

    private static let equalDistances: [ConformanceCase] = [
        ConformanceCase(.nearest, "prefers lower ids at equal distances") { subject in
            for distance in [0.25, 1, 90] {
                let ids = try subject.store(
                    [(0, 0), (0, distance), (-distance, 0), (0, -distance), (distance, 0)].map {
                        Coordinate(latitude: $0.0, longitude: $0.1)
                    }
                )
                let origin = Coordinate(latitude: 0, longitude: 0)
                // The places of earlier rounds are nearer.
                let nearer = try await subject.nearest(to: origin, within: .infinity, limit: 1000)
                    .map(\.id).filter { !ids.dropFirst().contains($0) }
                for limit in 0...4 {
                    try await subject.expectNearest(
                        nearer + ids.dropFirst().prefix(limit),
                        to: origin,
                        within: .infinity,
                        limit: nearer.count + limit
                    )
                }
            }
        },
        ConformanceCase(.nearest, "finds a single event at the other side of the globe") {
            subject in
            for place in [(90, 0), (0, 180), (-33.5, 0), (12.5, 77.25)] as [(Double, Double)] {
                let point = Coordinate(latitude: place.0, longitude: place.1)
                let antipode = Coordinate.wrapping(
                    latitude: -point.latitude,
                    longitude: point.longitude + 180
                )
                let id = try await storeAlone(point, in: subject)
                let distance = antipode.distance(to: point)

                try await subject.expectNearest([id], to: antipode, within: .infinity, limit: 1)
                try await subject.expectNearest([id], to: antipode, within: distance)
                try await subject.expectNearest([], to: antipode, within: distance.nextDown)
            }
        },
    ]

    /// Stores an event after deleting all others.
    private static func storeAlone(
        _ point: Coordinate,
        in subject: ConformanceSubject
    ) async throws -> Int64 {
        for id in try await subject.eventIDs() {
            try await subject.events.delete(id, ownerID: 1)
        }
        return try subject.store([point]).first ?? 0
    }
}
