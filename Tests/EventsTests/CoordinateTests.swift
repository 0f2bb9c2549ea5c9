import Events
import Testing

struct CoordinateTests {
    private struct Pair: CustomTestStringConvertible, Sendable {
        let from: (Double, Double)
        let to: (Double, Double)
        let kilometres: Double

        init(_ from: (Double, Double), _ to: (Double, Double), _ kilometres: Double) {
            self.from = from
            self.to = to
            self.kilometres = kilometres
        }

        var testDescription: String { "\(from) to \(to)" }
    }

    /// Distances by the haversine formula in 60 decimal digits, half the circumference included.
    private static let pairs = [
        Pair((37.760322, -122.429667), (37.771098, -122.430782), 1.202238280803636395),
        Pair((37.760321, -122.429667), (37.771098, -122.430782), 1.202349105696791631),
        Pair((37.687737, -122.470608), (37.771098, -122.430782), 9.908976459440200853),
        Pair((0, 0), (0, 1), 111.194926644558737346),
        Pair((0, 0), (0, 180), 20015.086796020572722246),
        Pair((90, 0), (-90, 0), 20015.086796020572722246),
        Pair((90, 17), (90, -100), 0),
        Pair((89.9, 0), (89.9, 180), 22.238985328911747469),
        Pair((0, 179.9999), (0, -179.9999), 0.022238985328911747),
        Pair((-17.5, 180), (-17.5, -180), 0),
        Pair((52.52, 13.405), (-33.8688, 151.2093), 16094.499950077832913061),
        Pair((37.771098, -122.430782), (37.771098, -122.430783), 0.000087895595795494),
        Pair((37.771098, -122.430782), (37.7710980000001, -122.430782), 0.000000000011119493),
        Pair((12.3456, 78.9012), (-12.3456, -101.0988), 20015.086796020572722246),
        Pair((12.3456, 78.9012), (-12.3455, -101.0988), 20015.075676527908266372),
        Pair((1e-09, 0), (0, 0), 0.000000111194926645),
        Pair((51.4769, -0.0005), (51.4769, 0.0005), 0.069255548503366500),
    ]

    @Test(arguments: pairs)
    private func `is within a micrometre of the true distance`(pair: Pair) {
        let from = Coordinate(latitude: pair.from.0, longitude: pair.from.1)
        let to = Coordinate(latitude: pair.to.0, longitude: pair.to.1)

        let distance = from.distance(to: to)

        #expect(abs(distance - pair.kilometres) < 1e-09)
        #expect(to.distance(to: from) == distance)
    }

    @Test(
        arguments: [
            ((90, 0), (90, 137)), ((-90, 45), (-90, -12.5)), ((0.5, 180), (0.5, -180)),
            ((-17.5, -180), (-17.5, 180)),
        ] as [((Double, Double), (Double, Double))]
    )
    func `is exactly 0 between two names of one point`(
        one: (Double, Double),
        other: (Double, Double)
    ) {
        let point = Coordinate(latitude: one.0, longitude: one.1)
        let same = Coordinate(latitude: other.0, longitude: other.1)
        let elsewhere = Coordinate(latitude: 12.3, longitude: 45.6)

        #expect(point.distance(to: same) == 0)
        #expect(point.distance(to: elsewhere) == same.distance(to: elsewhere))
    }

    @Test func `is exactly 0 from a point to itself`() {
        for latitude in stride(from: -90.0, through: 90.0, by: 7.3) {
            for longitude in stride(from: -180.0, through: 180.0, by: 11.7) {
                let point = Coordinate(latitude: latitude, longitude: longitude)

                #expect(point.distance(to: point) == 0)
            }
        }
    }

    @Test func `turns degrees into a vector of length 1`() {
        let vectors = [(0.0, 0.0), (0, 90), (90, 0), (0, -180), (-90, 45), (45, 0)].map {
            Coordinate(latitude: $0, longitude: $1).unitVector
        }

        let half = 0.5.squareRoot()
        let expected = [
            (1.0, 0.0, 0.0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1), (half, 0, half),
        ]
        for (vector, expected) in zip(vectors, expected) {
            #expect(abs(vector.x - expected.0) < 1e-15)
            #expect(abs(vector.y - expected.1) < 1e-15)
            #expect(abs(vector.z - expected.2) < 1e-15)
        }
    }

    @Test(arguments: [0, -0.0, 1, -122.430782, 179.99999999999997, 180, -180, 1e-300])
    func `keeps a longitude that is inside bit for bit`(longitude: Double) {
        let wrapped = Coordinate.wrapping(latitude: 10, longitude: longitude)

        #expect(wrapped.longitude.bitPattern == longitude.bitPattern)
        #expect(wrapped.latitude == 10)
    }

    @Test(arguments: [
        (190.0, -170.0), (-190, 170), (360, 0), (-360, 0), (361.5, 1.5), (-725.25, -5.25),
        (180.00000000000003, -179.99999999999997), (359.5, -0.5), (36_000_000_010, 10),
        (237.569218, -122.430782),
    ])
    func `wraps a longitude that is outside`(longitude: Double, expected: Double) {
        #expect(Coordinate.wrapping(latitude: 0, longitude: longitude).longitude == expected)
    }

    @Test(arguments: [540, -540, 1e17, -1e300, Double.greatestFiniteMagnitude])
    func `wraps a longitude of any size to a place on the sphere`(longitude: Double) {
        let wrapped = Coordinate.wrapping(latitude: 0, longitude: longitude)

        #expect((-180...180).contains(wrapped.longitude))
        #expect(abs(wrapped.longitude) == abs(longitude.remainder(dividingBy: 360)))
    }
}
