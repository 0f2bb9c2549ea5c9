import Model
import Randomness
import Testing

@testable import EventIndex

/// Compares the points of a leaf with brute force.
@Suite struct MapPointsTests {
    /// Returns points in a square of some degrees, with ids up to a greatest one.
    private static func points(
        _ degrees: Double,
        maximumID: Int64,
        _ generator: inout SeededGenerator
    ) -> [MapPoint] {
        let (south, west) = (
            Double.random(in: -89...(89 - degrees), using: &generator),
            Double.random(in: -179...(179 - degrees), using: &generator)
        )
        return (0..<Int.random(in: 1...64, using: &generator)).map { _ in
            MapPoint(
                id: .random(in: 1...maximumID, using: &generator),
                latitude: MapUnits.units(south + .random(in: 0...degrees, using: &generator)),
                longitude: MapUnits.units(west + .random(in: 0...degrees, using: &generator))
            )
        }
    }

    /// Returns points as a leaf keeps them.
    private static func kept(_ points: [MapPoint]) -> MapPoints {
        var kept = MapPoints(capacity: points.count)
        for point in points { kept.append(point) }
        return kept
    }

    /// Small and large squares, and ids that are far from each other.
    @Test(
        arguments: [
            (1e-7, 1000), (0.01, 1_000_000), (4, .max), (4.2, 4_000_000_000), (4.4, 1000),
            (100, .max),
        ] as [(Double, Int64)]
    )
    func keepsAllNumbers(degrees: Double, maximumID: Int64) {
        var generator = SeededGenerator(seed: 1)
        for _ in 1...50 {
            let points = Self.points(degrees, maximumID: maximumID, &generator)
            let kept = Self.kept(points)
            let some = UInt64.random(in: 0...UInt64(bits: points.indices), using: &generator)
            let chosen = points.enumerated().filter { some >> UInt64($0.offset) & 1 == 1 }
            let first = chosen.min { $0.element.id < $1.element.id }

            let sum = kept.sum(of: some)

            for (index, point) in points.enumerated() {
                #expect(kept[index].id == point.id)
                #expect(kept[index].latitude == point.latitude)
                #expect(kept[index].longitude == point.longitude)
            }
            // Offsets have 32 bits: 4.29 degrees, and half of it from the first point on.
            if degrees < 2, maximumID < 1 << 31 { #expect(kept.byteCount == 12 * points.count) }
            if degrees > 5, points.count > 9 { #expect(kept.byteCount == 24 * points.count) }
            #expect(sum.count == chosen.count)
            #expect(sum.latitudes == chosen.map(\.element.latitude).reduce(0, +))
            #expect(sum.longitudes == chosen.map(\.element.longitude).reduce(0, +))
            #expect(sum.firstID == first?.element.id ?? 0)
            #expect(sum.indexOfFirstID == first?.offset ?? 0)
        }
    }

    /// Points from lists that are near and far, and have the same origin or another one.
    @Test func appendsSomeOfOtherPoints() {
        var generator = SeededGenerator(seed: 4)
        for _ in 1...500 {
            let sizes = [1e-3, 3, 50]
            let degrees = sizes.randomElement(using: &generator) ?? 1
            let points = Self.points(degrees, maximumID: 99, &generator)
            let other = Self.points(degrees, maximumID: 99, &generator)
            let lists = [(points, Self.kept(points)), (other, Self.kept(other))]
            var (expected, found): ([MapPoint], MapPoints) = ([], MapPoints(capacity: 1))
            for _ in 1...4 {
                let (points, kept) = lists.randomElement(using: &generator) ?? lists[0]
                let end = Int.random(in: 0...points.count, using: &generator)
                let some = Int.random(in: 0...end, using: &generator)..<end
                expected += points[some]
                found.append(kept, some)
                expected.append(points[0])
                found.append(points[0])
            }
            #expect(found.indices.map { found[$0] } == expected)
        }
    }

    @Test func keepsIDsWhoseDifferenceOverflows() {
        let points = [Int64.min, .max].map { MapPoint(id: $0, latitude: 1, longitude: 2) }

        let kept = Self.kept(points)

        #expect([kept[0].id, kept[1].id] == [.min, .max])
    }

    @Test(arguments: [1e-7, 1e-3, 1, 50])
    func knowsTheSidesOfAnEdge(degrees: Double) {
        var generator = SeededGenerator(seed: 2)
        for _ in 1...50 {
            let points = Self.points(degrees, maximumID: 99, &generator)
            let kept = Self.kept(points)
            for point in points {
                // At the point, near it and a few millimetres away.
                for distance in [0, 1e-10, -1e-9, 1e-9, -4e-9, 4e-9] {
                    let latitude = MapUnits.degrees(point.latitude) + distance
                    let longitude = MapUnits.degrees(point.longitude) + distance
                    let sides = kept.sides(ofLatitude: latitude)
                    let across = kept.sides(ofLongitude: longitude)
                    for (index, other) in points.enumerated() {
                        let bit = UInt64(1) << UInt64(index)
                        let north = MapUnits.degrees(other.latitude) - latitude
                        let east = MapUnits.degrees(other.longitude) - longitude
                        for (sides, distance) in [(sides, north), (across, east)] {
                            if sides.near & bit != 0 {
                                #expect(abs(distance) < 3.6e-9)
                                #expect(sides.above & bit == 0)
                            } else {
                                #expect(abs(distance) > 1.4e-9)
                                #expect((sides.above & bit != 0) == (distance > 0))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Boxes with edges at the points, between them and far away.
    @Test(arguments: [1e-7, 1e-3, 1, 50])
    func findsThePointsInABox(degrees: Double) {
        var generator = SeededGenerator(seed: 3)
        for _ in 1...300 {
            let points = Self.points(degrees, maximumID: 99, &generator)
            let kept = Self.kept(points)
            let latitudes = (0..<2).map { _ in Self.edge(points.map(\.latitude), &generator) }
            let longitudes = (0..<2).map { _ in Self.edge(points.map(\.longitude), &generator) }
            let box = BoundingBox(
                west: longitudes.min() ?? 0,
                south: latitudes.min() ?? 0,
                east: longitudes.max() ?? 0,
                north: latitudes.max() ?? 0
            )
            let places = points.map(\.place)
            let bounds = BoundingBox(
                west: places.map(\.longitude).min() ?? 0,
                south: places.map(\.latitude).min() ?? 0,
                east: places.map(\.longitude).max() ?? 0,
                north: places.map(\.latitude).max() ?? 0
            )
            for found in [kept.points(inPlain: box, bounds), kept.points(in: box)] {
                for (index, place) in places.enumerated() {
                    let bit = UInt64(1) << UInt64(index)
                    let isInside = box.surelyContains(place)
                    if found.inside & bit != 0 { #expect(isInside != false) }
                    if isInside == true { #expect((found.inside | found.near) & bit != 0) }
                    // Half a unit more than rounding.
                    if isInside == nil { #expect(found.near & bit != 0) }
                    #expect(found.inside & found.near == 0)
                }
            }
            let found = kept.points(inPlain: box, bounds)
            #expect((found.inside | found.near) & ~UInt64(bits: points.indices) == 0)
        }
    }

    /// Returns degrees at one of some numbers, near it, between them, or far away.
    private static func edge(_ units: [Int64], _ generator: inout SeededGenerator) -> Double {
        let unit = units.randomElement(using: &generator) ?? 0
        let offset: Int64 =
            [0, 1, -1, 5, 100, 1_000_000, -1_000_000_000]
            .randomElement(using: &generator) ?? 0
        return MapUnits.degrees(min(max(unit + offset, -88_000_000_000), 88_000_000_000))
    }
}
