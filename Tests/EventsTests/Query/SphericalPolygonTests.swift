import Events
import Testing

@Suite struct SphericalPolygonTests {
    /// Creates places from latitude and longitude.
    private static func places(_ numbers: [(Double, Double)]) -> [Coordinate] {
        numbers.map { Coordinate.wrapping(latitude: $0.0, longitude: $0.1) }
    }

    private static let square = [(-10.0, -10.0), (-10.0, 10.0), (10.0, 10.0), (10.0, -10.0)]
    private static let star = [
        (10.0, 0.0), (-8.0, 6.0), (3.0, -10.0), (3.0, 10.0), (-8.0, -6.0),
    ]

    @Test(
        arguments: [
            // The corners, places inside, and places outside.
            (square, [(0, 0), (9, 9), (-9, 9)], [(11, 0), (0, 10.5), (0, 180), (0, 90), (90, 0)]),
            // A great circle between two places of the same latitude bends towards the pole.
            (
                [(50, 0), (50, 60), (40, 60), (40, 0)], [(50.5, 30), (45, 1), (45, 59)],
                [(40.5, 30), (54, 30), (50.1, -0.1)]
            ),
            // Across the antimeridian, also with longitudes beyond 180.
            (
                [(-5, 175), (5, 175), (5, -175), (-5, -175)], [(0, 180), (0, -180), (4, 176)],
                [(0, 174), (0, -174), (0, 0)]
            ),
            (
                [(-5, 175), (5, 175), (5, 185), (-5, 185)], [(0, 180), (0, -176)],
                [(0, 174), (0, 5)]
            ),
            // Around the pole.
            (
                [(80, 0), (80, 90), (80, 180), (80, -90)], [(90, 0), (89, 45), (80.1, 90)],
                [(79, 0), (-90, 0), (80.1, 45)]
            ),
            // The center of a self-intersecting star is outside by the even-odd rule.
            (star, [(8, 0), (2.5, 8), (-6, 5)], [(0, 0), (-5, 0), (6, 6)]),
            // No area.
            ([(0, 0), (0, 0), (0, 0)], [], [(1, 1), (0, 1)]),
        ] as [([(Double, Double)], [(Double, Double)], [(Double, Double)])]
    )
    func containsWhatIsBetweenItsEdges(
        corners: [(Double, Double)],
        inside: [(Double, Double)],
        outside: [(Double, Double)]
    ) throws {
        // Both directions, and every first corner, give the same result.
        let turned = Array(corners.dropFirst() + corners.prefix(1))
        for corners in [corners, corners.reversed(), turned] {
            let polygon = try #require(SphericalPolygon(corners: Self.places(corners)))
            for place in Self.places(inside) {
                #expect(polygon.contains(place.unitVector), "\(place)")
            }
            for place in Self.places(outside) {
                #expect(!polygon.contains(place.unitVector), "\(place)")
            }
            for corner in Self.places(corners) {
                let angle =
                    Coordinate.distance(from: polygon.center, to: corner.unitVector)
                    / Coordinate.sphereRadius
                #expect(angle <= polygon.angle)
            }
        }
    }

    @Test(
        arguments: [
            // Opposite places, a whole equator, and more than a hemisphere.
            [(0, 0), (0, 180)], [(0, 0), (0, 90), (0, 180), (0, -90)],
            [(-80, 0), (-80, 120), (-80, -120), (80, 0)],
            [(90, 0), (-90, 0), (0, 10)], [],
        ] as [[(Double, Double)]]
    )
    func isNotWiderThanAHemisphere(corners: [(Double, Double)]) {
        #expect(SphericalPolygon(corners: Self.places(corners)) == nil)
    }

    @Test func isEqualToThatOfTheSameCorners() throws {
        let square = try #require(SphericalPolygon(corners: Self.places(Self.square)))
        let turned = try #require(
            SphericalPolygon(
                corners: Self.places(Self.square.map { ($0.0, $0.1 + 360) })
            )
        )
        let star = try #require(SphericalPolygon(corners: Self.places(Self.star)))

        #expect(square == turned)
        #expect(square != star)
    }
}
