import Cells
import EventIndex
import Model
import Randomness
import SphereSupport
import Testing

/// The nearest search on an array, compared with brute force.
@Suite struct NearestSearchTests {
    private static let radii = [0, 0.001, 1, 20, 300, 5000, 10_100, 20_020, 1e9, .infinity]
    private static let limits = [1, 2, 7, 20, 300, Int.max]

    /// Also with likely angles that are far too small, too large, and so large that they are all of
    /// the sphere.
    @Test(arguments: zip(UInt64(1)...8, [nil, nil, nil, 0, 1e-6, 0.01, 0.3, 4]))
    func findsWhatBruteForceFinds(seed: UInt64, likelyAngle: Double?) throws {
        var generator = SeededGenerator(seed: seed)
        let source = ArraySource(places(1500, using: &generator), likelyAngle: likelyAngle)
        for origin in origins(in: source, using: &generator) {
            let sorted = source.places
                .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
                .sorted { $0 < $1 }
            for radius in Self.radii {
                for limit in Self.limits {
                    let found = try NearestSearch(from: origin, within: radius, limit: limit)
                        .nearest(in: source)
                    let expected = sorted.prefix { $0.0 <= radius }.prefix(limit)
                    #expect(
                        found.map(\.id) == expected.map(\.1),
                        "\(limit) within \(radius) of \(origin)"
                    )
                    #expect(found.map(\.distance) == expected.map(\.0))
                    #expect(found.map(\.record) == expected.map { $0.1 * 10 })
                }
            }
        }
    }

    @Test(arguments: [(-1.0, 5), (.nan, 5), (5, 0), (5, -1)])
    func findsNothingForAnImpossibleQuery(radius: Double, limit: Int) throws {
        let source = ArraySource([Place(id: 1, point: (1, 0, 0), record: 10)])
        let found = try NearestSearch(from: (1, 0, 0), within: radius, limit: limit)
            .nearest(in: source)
        #expect(found.isEmpty)
        #expect(source.readCount == 0)
    }

    @Test func readsAboutSixPlacesForEachResultWhateverTheRadius() throws {
        var generator = SeededGenerator(seed: 7)
        let points = (0..<30_000).map { _ in generator.point() }
        let source = ArraySource(
            points.enumerated().map { number, point in
                Place(id: Int64(number + 1), point: point, record: 0)
            }
        )
        for radius in [700.0, 5000, 20_020] {
            source.readCount = 0
            for _ in 1...200 {
                let found = try NearestSearch(from: generator.point(), within: radius, limit: 20)
                    .nearest(in: source)
                #expect(found.count == 20)
            }
            #expect(source.readCount < 200 * 20 * 7, "\(source.readCount) within \(radius) km")
        }
    }

    /// 30 places within 0.06326 radians, on average: a solid angle of 30 / 30,000 of the sphere.
    @Test func readsOnceWithALikelyAngle() throws {
        var generator = SeededGenerator(seed: 9)
        let places = (1...30_000).map { Place<Int64>(id: $0, point: generator.point(), record: 0) }
        let source = ArraySource(places, likelyAngle: 0.06326)
        for _ in 1...200 {
            let found = try NearestSearch(from: generator.point(), within: 20_020, limit: 20)
                .nearest(in: source)
            #expect(found.count == 20)
        }
        #expect(source.reads < 220, "\(source.reads)")
        #expect(source.readCount < 200 * 20 * 4, "\(source.readCount)")
    }

    /// A crowd just beyond the edge of a large cell, whose keys are far from the origin's.
    @Test func readsLittleOfACrowdBehindAnEdge() throws {
        var generator = SeededGenerator(seed: 8)
        let crowd = (0..<20_000).map { number in
            let y = -1e-6 - Double.random(in: 0...1e-3, using: &generator)
            let z = Double.random(in: -1e-3...1e-3, using: &generator)
            return Place<Int64>(id: Int64(number) + 1, point: normalized(1, y, z), record: 0)
        }
        let others = (0..<40).map { number in
            let point = normalized(1.0, 0.1 + Double(number) * 0.001, 0.01)
            return Place<Int64>(id: 30_000 + Int64(number), point: point, record: 0)
        }
        let source = ArraySource(crowd + others)
        let found = try NearestSearch(from: normalized(1, 1e-6, 0), within: 1e5, limit: 20)
            .nearest(in: source)
        #expect(found.allSatisfy { $0.id <= 20_000 })
        #expect(source.readCount < 4000, "\(source.readCount)")
    }

    @Test func findsTheFirstIDsOfManyEventsInOnePlace() throws {
        let point = normalized(0.6, 0.48, 0.64)
        let source = ArraySource((1...5000).map { Place(id: $0, point: point, record: 0) })
        let found = try NearestSearch(from: point, within: 20_020, limit: 20).nearest(in: source)
        #expect(found.map(\.id) == Array(1...20))
        #expect(found.allSatisfy { $0.distance == 0 })
    }

    /// No cap is small enough to avoid a crowd, so it is read once, and little of it before.
    @Test(arguments: [(nil, 20_600), (0, 21_100)])
    func readsACrowdOnce(likelyAngle: Double?, maximumReads: Int) throws {
        let point = normalized(0.6, 0.48, 0.64)
        let crowd = ArraySource(
            (1...20_000).map { Place(id: $0, point: point, record: 0) },
            likelyAngle: likelyAngle
        )
        let search = NearestSearch(from: point, within: 20_020, limit: 20)
        #expect(try search.nearest(in: crowd).map(\.id) == Array(1...20))
        #expect(crowd.readCount < maximumReads, "\(crowd.readCount)")

        // 60 km away from the origin, where nothing else is.
        let aside = NearestSearch(from: normalized(0.6, 0.48, 0.65), within: 20_020, limit: 20)
        crowd.readCount = 0
        #expect(try aside.nearest(in: crowd).map(\.id) == Array(1...20))
        #expect(crowd.readCount < 30_000, "\(crowd.readCount)")
    }

    @Test func throwsWhatTheSourceThrows() {
        struct Failure: Error {}
        struct FailingSource: PlaceSource {
            func forEachPlace(
                in ranges: ArraySlice<ClosedRange<CellKey>>,
                _ order: KeyOrder,
                limit: Int,
                _ body: (Place<Int64>) -> Void
            ) throws -> Bool { throw Failure() }
        }
        #expect(throws: Failure.self) {
            try NearestSearch(from: (1, 0, 0), within: 1, limit: 1).nearest(in: FailingSource())
        }
    }

    /// Places all over the sphere, in clusters, at the poles and the antimeridian, and many that
    /// coincide.
    private func places(_ count: Int, using generator: inout SeededGenerator) -> [Place<Int64>] {
        var points: [UnitVector] = []
        while points.count < count {
            switch generator.next() % 8 {
            case 0: points.append(generator.point())
            case 1: points.append(generator.point(near: (0, 0, 1)))
            case 2: points.append(generator.point(near: (-1, 0, 0)))
            case 3: points.append(generator.point(near: (1, 1, 1)))
            case 4: points.append(generator.point(near: (0, 0, -1)))
            case 5: points.append(generator.point(near: normalized(1, 1, 0)))
            case 6: points.append(generator.point(near: normalized(0, -1, 1)))
            default: points.append(points.randomElement(using: &generator) ?? (0, 0, -1))
            }
        }
        return points.enumerated().map { number, point in
            Place(id: Int64(number + 1), point: point, record: Int64(number + 1) * 10)
        }
    }

    private func origins(
        in source: ArraySource,
        using generator: inout SeededGenerator
    ) -> [UnitVector] {
        // The poles, the antimeridian, and a corner and two edges of the cube.
        var origins: [UnitVector] = [
            (0, 0, 1), (0, 0, -1), (-1, 0, 0), normalized(1, 1, 1), normalized(1, 1, 0),
            normalized(0, -1, 1),
        ]
        for _ in 1...4 {
            origins.append(generator.point())
            if let place = source.places.randomElement(using: &generator) {
                origins.append(place.point)
                origins.append((-place.point.x, -place.point.y, -place.point.z))
            }
        }
        return origins
    }
}

/// Places in an array, in the order of their keys, that counts how many were read.
private final class ArraySource: PlaceSource {
    let places: [Place<Int64>]
    private let keys: [CellKey]
    private let likelyAngle: Double?
    var readCount = 0
    private(set) var reads = 0

    init(_ places: [Place<Int64>], likelyAngle: Double? = nil) {
        self.likelyAngle = likelyAngle
        let sorted = places.map { (CellKey($0.point), $0) }
            .sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
        keys = sorted.map(\.0)
        self.places = sorted.map(\.1)
    }

    func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Int64>) -> Void
    ) throws -> Bool {
        let indices = ranges.flatMap { range in
            firstIndex(from: range.lowerBound)..<firstIndex(above: range.upperBound)
        }
        let ordered = order == .rising ? indices : indices.reversed()
        for index in ordered.prefix(limit) { body(places[index]) }
        reads += 1
        readCount += min(limit, indices.count)
        return indices.count <= limit
    }

    func likelyAngle(around key: CellKey, for count: Int) -> Double? { likelyAngle }

    private func firstIndex(from key: CellKey) -> Int {
        var (lower, upper) = (0, keys.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if keys[middle] < key { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    private func firstIndex(above key: CellKey) -> Int {
        firstIndex(from: CellKey(rawValue: key.rawValue + 1))
    }
}
