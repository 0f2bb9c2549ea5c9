import Events
import Glibc
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
        let test = BoundingBox.BallTest(box)
        for (places, expected) in [(inside, true), (outside, false)] {
            for (latitude, longitude) in places {
                let place = Coordinate(latitude: latitude, longitude: longitude)
                #expect(box.contains(place) == expected, "\(place)")
                let mayContain = test.mayContainPoint(ofBallAt: place.unitVector, radius: 0)
                #expect(mayContain || !expected, "\(place)")
            }
        }
    }

    /// Boxes of different widths, and places as near to their edges as floating point allows.
    @Test(
        arguments: [
            [-10, -5, 10, 5], [170, -60, -170, 60], [0, -90, 180, 90], [-180, 0, 0, 1],
            [-90, -1, 90, 1], [90, -1, -90, 1], [1, 1, 0, 2], [20, -3, 20, 3],
            [-122.5, 37.7, -122.3, 37.8], [-180, 89.999, 180, 90], [5, -90, 6, -89.99],
            [180, -1, -180, 1],
        ] as [[Double]]
    )
    func excludesNoBallWithAPlaceInTheBox(edges: [Double]) {
        let box = Self.box(edges)
        let test = BoundingBox.BallTest(box)
        let offsets = [0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-6, 1e-3, 0.5]
        let signed = offsets + offsets.map { -$0 }
        let middle = (box.south + box.north) / 2
        var excluded = 0
        for longitude in [box.west, box.east, box.west + 180, box.east + 180, 0, 90, 180] {
            for latitude in [box.south, middle, box.north, -90, 90] {
                for eastward in signed {
                    for northward in signed {
                        let place = Coordinate.wrapping(
                            latitude: min(90, max(-90, latitude + northward)),
                            longitude: longitude + eastward
                        )
                        let point = place.unitVector
                        let mayContain = test.mayContainPoint(ofBallAt: point, radius: 0)
                        #expect(mayContain || !box.contains(place), "\(place)")
                        if !mayContain { excluded += 1 }
                    }
                }
            }
        }
        #expect(excluded > 0)
    }
}
