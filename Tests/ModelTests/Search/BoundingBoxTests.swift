import Glibc
import Model
import Testing

@Suite struct BoundingBoxTests {
    private static func box(_ edges: [Double]) -> BoundingBox {
        BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
    }

    @Test(
        arguments: [
            // The edges of a box, and latitude and longitude of places inside or outside.
            (
                [-10, -5, 10, 5], [(0, 0), (5, 10), (-5, -10), (5, -10)], [(0, 10.001), (5.001, 0)]
            ),
            (
                [170, -5, -170, 5], [(0, 180), (0, -180), (0, 170), (0, -170)],
                [(0, 0), (0, 169.999)]
            ),
            ([180, 0, -180, 5], [(0, 180), (0, -180)], [(0, 179.999), (0, -179.999), (0, 0)]),
            ([-180, 0, -180, 5], [(0, 180), (5, -180)], [(0, 179.999), (0, -179.999)]),
            ([-180, -90, 180, 90], [(90, 0), (-90, 77), (0, 180), (12, 34)], []),
            ([10, 0, 370, 5], [(0, 0), (5, 9.999), (0, 180)], [(5.001, 0)]),
            ([350, 0, 370, 5], [(0, 0), (0, -10), (5, 10)], [(0, 10.001), (0, -10.001)]),
            ([-730, 0, -710, 5], [(0, 0), (0, -10), (5, 10)], [(0, 10.001), (0, -10.001)]),
            // Boxes of more than half of the globe, and of nearly all of it.
            ([-100, 0, 100, 5], [(0, 0), (0, 99.9), (0, -100)], [(0, 180), (0, 100.1)]),
            ([0, 0, 359, 5], [(0, 0), (0, -1), (0, 180), (0, -90)], [(0, -0.5)]),
            // A box of a single meridian, and a box of a single place.
            ([20, 0, 20, 5], [(0, 20), (5, 20)], [(0, 20.0001), (0, -160), (6, 20)]),
            ([20, 5, 20, 5], [(5, 20)], [(5.0001, 20), (5, 19.9999)]),
            // At a pole, the longitude decides, although all longitudes are the same place.
            ([0, 80, 10, 90], [(90, 5), (80, 0)], [(90, 77), (79.999, 5)]),
        ] as [([Double], [(Double, Double)], [(Double, Double)])]
    )
    func containsItsEdges(
        edges: [Double],
        inside: [(Double, Double)],
        outside: [(Double, Double)]
    ) {
        let box = Self.box(edges)
        let test = BoundingBox.PointTest(box)
        for (places, expected) in [(inside, true), (outside, false)] {
            for (latitude, longitude) in places {
                let place = Coordinate(latitude: latitude, longitude: longitude)
                #expect(box.contains(place) == expected, "\(place)")
                let quick = test.contains(place.unitVector)
                #expect((quick ?? expected) == expected, "\(place)")
            }
        }
    }

    /// Boxes of different widths, and places as near to their edges as floating point allows.
    private static let edges: [[Double]] = [
        [-10, -5, 10, 5], [170, -60, -170, 60], [0, -90, 180, 90], [-180, 0, 0, 1],
        [-90, -1, 90, 1], [90, -1, -90, 1], [1, 1, 0, 2], [20, -3, 20, 3],
        [-122.5, 37.7, -122.3, 37.8], [-180, 89.999, 180, 90], [5, -90, 6, -89.99],
        [180, -1, -180, 1],
    ]

    @Test(arguments: edges)
    func decidesQuicklyOrLeavesItToTheExactPlace(edges: [Double]) {
        let box = Self.box(edges)
        let test = BoundingBox.PointTest(box)
        let offsets = [0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-6, 1e-3, 0.5]
        let signed = offsets + offsets.map { -$0 }
        let middle = (box.south + box.north) / 2
        var undecided = 0
        for longitude in [box.west, box.east, box.west + 180, box.east + 180, 0, 90, 180] {
            for latitude in [box.south, middle, box.north, -90, 90] {
                for eastward in signed {
                    for northward in signed {
                        let place = Coordinate.wrapping(
                            latitude: min(90, max(-90, latitude + northward)),
                            longitude: longitude + eastward
                        )
                        guard let quick = test.contains(place.unitVector) else {
                            undecided += 1
                            continue
                        }
                        #expect(quick == box.contains(place), "\(place)")
                    }
                }
            }
        }
        #expect(undecided > 0)
    }

    /// The fast test must decide most places.
    @Test(arguments: edges)
    func decidesAMillimetreFromItsEdges(edges: [Double]) {
        let box = Self.box(edges)
        let test = BoundingBox.PointTest(box)
        let millimetre = 1e-8
        for latitude in stride(from: -88.0, through: 88, by: 11) {
            for longitude in stride(from: -179.5, through: 180, by: 17) {
                let place = Coordinate(latitude: latitude, longitude: longitude)
                let nearest =
                    [box.west, box.east].map { edge in
                        abs(sin((longitude - edge) * .pi / 180))
                    }.min() ?? 0
                let isNearEdge =
                    !box.isAround && nearest * cos(latitude * .pi / 180) < millimetre
                    || [box.south, box.north].contains { abs(latitude - $0) < millimetre }
                if isNearEdge { continue }
                #expect(test.contains(place.unitVector) == box.contains(place), "\(place)")
            }
        }
    }

    @Test(
        arguments: [
            ([-10, -5, 10, 5], [-9, -4, 9, 4], true),
            ([-10, -5, 10, 5], [3, 2, 3, 2], true),
            // Edges that rounding could have moved across.
            ([-10, -5, 10, 5], [-10, -4, 9, 4], false),
            ([-10, -5, 10, 5], [-9, -4, 10, 4], false),
            ([-10, -5, 10, 5], [-9, -5, 9, 4], false), ([-10, -5, 10, 5], [-9, -4, 9, 5], false),
            ([-10, -5, 10, 5], [-11, -4, -9, 4], false),
            ([-10, -5, 10, 5], [20, 0, 21, 1], false),
            // A box across the antimeridian contains boxes on each side of it.
            ([170, -5, -170, 5], [171, 0, 179, 1], true),
            ([170, -5, -170, 5], [-180, 0, -171, 1], true),
            ([170, -5, -170, 5], [-171, 0, -169, 1], false),
            ([170, -5, -170, 5], [169, 0, 171, 1], false),
            ([170, -5, -170, 5], [-180, 0, 179.9, 1], false),
            // Nearly all of the globe, but not the strip from 9 to 10.
            ([10, -5, 9, 5], [11, 0, 179, 1], true), ([10, -5, 9, 5], [8, 0, 11, 1], false),
            ([-180, -85, 180, 85], [-180, -84, 179.9, 84], true),
            // The poles are edges, too.
            ([-180, -90, 180, 90], [0, -90, 1, 0], false),
            ([-180, -90, 180, 90], [0, 0, 1, 90], false),
            ([0, 80, 10, 90], [1, 81, 2, 89.95], false),
            ([0, 80, 10, 90], [1, 81, 2, 89.8], true),
        ] as [([Double], [Double], Bool)]
    )
    func surelyContainsABox(box: [Double], other: [Double], isExpected: Bool) {
        #expect(Self.box(box).surelyContains(Self.box(other)) == isExpected)
    }

    @Test(
        arguments: [
            ([0, 0, 10, 10], [5, 5], true), ([0, 0, 10, 10], [11, 5], false),
            ([0, 0, 10, 10], [5, -1], false), ([0, 0, 10, 10], [5, 10.1], false),
            ([0, 0, 10, 10], [-1, 5], false),
            // An edge is too near to decide, unless another edge already does.
            ([0, 0, 10, 10], [0, 5], nil), ([0, 0, 10, 10], [10, 5], nil),
            ([0, 0, 10, 10], [5, 0], nil), ([0, 0, 10, 10], [5, 10 + 5e-10], nil),
            ([0, 0, 10, 10], [20, 0], false), ([0, 0, 10, 10], [0, 20], false),
            ([170, 0, -170, 10], [175, 5], true), ([170, 0, -170, 10], [-175, 5], true),
            ([170, 0, -170, 10], [0, 5], false), ([170, 0, -170, 10], [170, 5], nil),
            ([170, 0, -170, 10], [-180, 5], nil), ([0, 0, 180, 10], [-180, 5], nil),
            ([-180, -90, 180, 90], [-180, 5], true), ([-180, -90, 180, 90], [0, 90], nil),
            // Near a pole, a computed place has no exact longitude.
            ([90, 80, 180, 90], [0, 90], nil), ([40, -90, 50, 0], [0, -90], nil),
            ([40, 80, 50, 90], [0, 89.95], nil), ([40, 80, 50, 90], [0, 89.8], false),
            ([40, 0, 50, 89], [0, 89.95], false),
        ] as [([Double], [Double], Bool?)]
    )
    func surelyContainsAPlace(box: [Double], place: [Double], expected: Bool?) {
        let place = Coordinate(latitude: place[1], longitude: place[0])
        let box = Self.box(box)
        #expect(box.surelyContains(place) == expected)
    }

    @Test(
        arguments: [
            ([0, 0, 10, 10], true), ([-179.9, -89, 179.9, 89], true), ([5, 5, 5, 5], true),
            ([170, 0, -170, 10], false), ([0, 0, 360, 10], false), ([-180, 0, -170, 10], false),
            ([170, 0, 180, 10], false), ([0, 80, 10, 90], false), ([0, -89.95, 10, 0], false),
        ] as [([Double], Bool)]
    )
    func isPlainAwayFromPolesAndTheAntimeridian(edges: [Double], expected: Bool) {
        #expect(Self.box(edges).isPlain == expected)
    }

    @Test(
        arguments: [
            ([0, 0, 10, 10], [2, 2, 8, 8], true), ([0, 0, 10, 10], [-2, -2, 12, 12], true),
            ([0, 0, 10, 10], [9, 9, 12, 12], true), ([0, 0, 10, 10], [10, 10, 12, 12], true),
            ([0, 0, 10, 10], [11, 0, 12, 10], false), ([0, 0, 10, 10], [-2, 0, -1, 10], false),
            ([0, 0, 10, 10], [0, 11, 10, 12], false), ([0, 0, 10, 10], [0, -2, 10, -1], false),
            // Rounding could have moved a place.
            ([0, 0, 10, 10], [10 + 5e-10, 0, 12, 10], true),
            ([0, 0, 10, 10], [0, -2, 10, -5e-10], true),
        ] as [([Double], [Double], Bool)]
    )
    func mayContainPlacesOfABox(box: [Double], other: [Double], expected: Bool) {
        #expect(Self.box(box).mayContainPlace(in: Self.box(other)) == expected)
    }
}
