import Cells
import EventIndex
import Glibc
import Model
import Randomness
import SphereSupport
import Testing

/// The nearest search on a source that it must wait for, compared with the one in memory.
@Suite struct RemotePlacesTests {
    @Test(arguments: 1...4)
    func findsWhatBruteForceFindsInTwoReads(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let places = Self.places(2000, using: &generator)
        for _ in 1...10 {
            let origin = generator.coordinate().unitVector
            for radius in [0, 20, 300, 5000, 20_020, .infinity] {
                for limit in [1, 7, 20, 300, Int.max] {
                    let reader = ArrayReader(places)
                    let found = try await NearestSearch(from: origin, within: radius, limit: limit)
                        .records(in: reader, ReachHints())

                    let expected =
                        places
                        .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
                        .filter { $0.0 <= radius }.sorted { $0 < $1 }.prefix(limit)
                    #expect(found == expected.map { Int($0.1) * 10 })
                    #expect((1...2).contains(reader.readCount))
                }
            }
        }
    }

    /// Whatever earlier searches have found, with other limits and radii and before changes.
    @Test(arguments: 1...4)
    func findsWhatBruteForceFindsWithAnyHints(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let reader = ArrayReader(
            Self.places(1000, using: &generator)
                + Self.crowd(around: (0, 0, 1), using: &generator).map {
                    Place(id: $0.id + 1000, point: $0.point, record: $0.record + 10_000)
                }
        )
        let hints = ReachHints()
        for round in 1...300 {
            let origin =
                round % 3 == 0
                ? generator.point(near: (0, 0, 1), within: 1e-4)
                : generator.coordinate().unitVector
            let radius = [0, 0.5, 20, 300, 5000, .infinity].randomElement(using: &generator) ?? 0
            let limit = [1, 7, 20, 300].randomElement(using: &generator) ?? 1
            let found = try await NearestSearch(from: origin, within: radius, limit: limit)
                .records(in: reader, hints)

            let expected = reader.places
                .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
                .filter { $0.0 <= radius }.sorted { $0 < $1 }.prefix(limit)
            #expect(found == expected.map { Int($0.1) * 10 })
            if round % 10 == 0 { reader.places.removeAll { $0.id % 40 == Int64(round / 10) } }
        }
    }

    @Test func readsOnceWhereASearchWasNearby() async throws {
        var generator = SeededGenerator(seed: 3)
        let reader = ArrayReader(Self.places(20_000, using: &generator))
        let hints = ReachHints()
        for _ in 1...300 {
            let origin = generator.point(near: (1, 0, 0), within: 0.2)
            _ = try await NearestSearch(from: origin, within: 20_020, limit: 20)
                .records(in: reader, hints)
        }
        reader.readCount = 0
        reader.placeCount = 0
        for _ in 1...100 {
            let origin = generator.point(near: (1, 0, 0), within: 0.2)
            for radius in [800.0, 20_020.0] {
                _ = try await NearestSearch(from: origin, within: radius, limit: 20)
                    .records(in: reader, hints)
            }
        }
        // One read for each of the 200 searches, and seldom two more.
        #expect(reader.readCount <= 210, "\(reader.readCount)")
        #expect(reader.placeCount <= 200 * 100, "\(reader.placeCount)")
    }

    /// The smallest cells are about 11° wide here, and the next ones twice as wide.
    @Test func readsOnceWhereASearchWasInAGreaterCell() async throws {
        var generator = SeededGenerator(seed: 4)
        let reader = ArrayReader(Self.places(20_000, using: &generator))
        let hints = ReachHints()
        for (longitude, readCount) in [(6.0, 2), (17.0, 1), (80.0, 2)] {
            reader.readCount = 0
            let origin = Coordinate(latitude: 6, longitude: longitude).unitVector
            _ = try await NearestSearch(from: origin, within: 20_020, limit: 20)
                .records(in: reader, hints)
            #expect(reader.readCount == readCount, "\(longitude)")
        }
    }

    /// A radius with few places or none says little of how far a greater search must look.
    @Test func readsOnceAfterSearchesWithSmallRadii() async throws {
        var generator = SeededGenerator(seed: 5)
        let reader = ArrayReader(Self.places(20_000, using: &generator))
        let hints = ReachHints()
        let origin = Coordinate(latitude: 6, longitude: 6).unitVector
        for (radius, readCount) in [
            (20_020.0, 2), (1.0, 1), (20_020, 1), (40, 1), (20_020, 1), (40, 1), (20_020, 1),
        ] {
            reader.readCount = 0
            let found = try await NearestSearch(from: origin, within: radius, limit: 20)
                .records(in: reader, hints)
            #expect(reader.readCount == readCount, "\(radius): \(found.count)")
        }
    }

    @Test func isMisledOnceByASearchForFewPlaces() async throws {
        var generator = SeededGenerator(seed: 6)
        let origin = Coordinate(latitude: 6, longitude: 6).unitVector
        let near = (1...3).map { id in
            let point = generator.point(near: origin, within: 1e-5)
            return Place(id: Int64(20_000 + id), point: point, record: 0)
        }
        let reader = ArrayReader(Self.places(20_000, using: &generator) + near)
        let hints = ReachHints()
        for (limit, readCount) in [(3, 2), (20, 4), (20, 1)] {
            reader.readCount = 0
            _ = try await NearestSearch(from: origin, within: 20_020, limit: limit)
                .records(in: reader, hints)
            #expect(reader.readCount == readCount, "\(limit)")
        }
    }

    @Test func findsTheFirstIDsOfManyEventsInOnePlace() async throws {
        let point = Coordinate(latitude: 10, longitude: 20).unitVector
        let reader = ArrayReader((1...5000).map { Place(id: $0, point: point, record: Int($0)) })
        let found = try await NearestSearch(from: point, within: 20_020, limit: 20)
            .records(in: reader, ReachHints())
        #expect(found == Array(1...20))
    }

    @Test func readsNothingForAnImpossibleQuery() async throws {
        let reader = ArrayReader([Place(id: 1, point: (1, 0, 0), record: 1)])
        for (radius, limit) in [(-1.0, 5), (.nan, 5), (5, 0)] {
            let found = try await NearestSearch(from: (1, 0, 0), within: radius, limit: limit)
                .records(in: reader, ReachHints())
            #expect(found == [])
        }
        #expect(reader.readCount == 0)
    }

    @Test func findsTheNextPlaceIfOneDisappearsBetweenTwoReads() async throws {
        var generator = SeededGenerator(seed: 5)
        let places = Self.places(1000, using: &generator)
        let origin = places[0].point
        let reader = ArrayReader(places)
        // After the first read, the nearest places are gone.
        reader.afterRead = { reader in
            guard reader.readCount == 1 else { return }
            reader.places.removeAll { Coordinate.distance(from: origin, to: $0.point) < 500 }
        }
        let found = try await NearestSearch(from: origin, within: 20_020, limit: 20)
            .records(in: reader, ReachHints())

        let expected = reader.places
            .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
            .sorted { $0 < $1 }.prefix(20)
        #expect(found == expected.map { Int($0.1) * 10 })
    }

    /// The second read, of too many places, leads to a bound that is no longer true at the third.
    @Test func findsTheNextPlacesIfSomeDisappearAfterTheSecondRead() async throws {
        // The quarters of this face that the keys go through in turn are those with y and z below
        // zero, with y below, with z below, and with neither below.
        let origin: UnitVector = (1, 0, 0)
        let radius = 3.0
        let angle = radius / Coordinate.sphereRadius
        let cover = Cap(center: origin, angle: angle).keyRanges
        var generator = SeededGenerator(seed: 9)
        func places(
            _ ids: ClosedRange<Int64>,
            _ distances: ClosedRange<Double>,
            y: Double,
            z: Double
        ) -> [Place<Int>] {
            ids.map { id in
                while true {
                    let distance = angle * Double.random(in: distances, using: &generator)
                    let direction = Double.random(in: 0.1...1.4, using: &generator)
                    let side = (cos(direction) * distance * y, sin(direction) * distance * z)
                    let point = normalized(1, side.0, side.1)
                    guard cover.contains(where: { $0.contains(CellKey(point)) }) else { continue }
                    return Place(id: id, point: point, record: Int(id) * 10)
                }
            }
        }
        let nearest = places(1...20, 0.1...0.2, y: -1, z: -1)
        let many = places(100...699, 0.5...0.99, y: -1, z: 1)
        // All neighbours of the origin's key are too far away.
        let neighbours =
            places(1000...1029, 1.01...1.5, y: 1, z: -1)
            + places(1100...1129, 1.01...1.5, y: 1, z: 1)
        let reader = ArrayReader(nearest + many + neighbours)
        reader.afterRead = { reader in
            if reader.readCount == 2 { reader.places.removeAll { (3...14).contains($0.id) } }
        }
        let found = try await NearestSearch(from: origin, within: radius, limit: 20)
            .records(in: reader, ReachHints())

        #expect(reader.places.count == 668)
        let expected = Self.nearest(to: origin, in: reader.places).prefix(20)
        #expect(found == expected.map { Int($0) * 10 })
    }

    /// The last result so far is gone, but not those with higher ids in the same place.
    @Test func findsTheNextIDsOfAPlaceIfTheFirstOnesDisappear() async throws {
        let point = Coordinate(latitude: 10, longitude: 20).unitVector
        let reader = ArrayReader((1...900).map { Place(id: $0, point: point, record: Int($0)) })
        reader.afterRead = { reader in
            if reader.readCount == 2 { reader.places.removeAll { (9...20).contains($0.id) } }
        }
        let found = try await NearestSearch(from: point, within: 20_020, limit: 20)
            .records(in: reader, ReachHints())

        #expect(found == Array(1...8) + Array(21...32))
        #expect(reader.readCount == 3)
    }

    /// Whatever disappears between two reads, all results are those at the time of the last read.
    @Test(arguments: 1...4)
    func resultsAreOfOneStateWhileAnyPlacesDisappear(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var unsteady = 0
        for round in 1...40 {
            let origin = generator.coordinate().unitVector
            let reader = ArrayReader(Self.crowd(around: origin, using: &generator))
            let limit = [1, 7, 20].randomElement(using: &generator) ?? 1
            var copy = SeededGenerator(seed: UInt64(round))
            reader.afterRead = { reader in
                let nearest = Self.nearest(to: origin, in: reader.places).prefix(2 * limit)
                let count = Int.random(in: 0...nearest.count, using: &copy)
                let gone = Set(nearest.shuffled(using: &copy).prefix(count))
                reader.places.removeAll { gone.contains($0.id) }
            }
            let radius: Double = [0.05, 3.0, 20_020.0].randomElement(using: &generator) ?? 0
            do {
                let found = try await NearestSearch(from: origin, within: radius, limit: limit)
                    .records(in: reader, ReachHints())
                let expected = reader.lastRead
                    .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
                    .filter { $0.0 <= radius }.sorted { $0 < $1 }.prefix(limit)
                #expect(found == expected.map { Int($0.1) * 10 }, "round \(round)")
            } catch is UnsteadyPlaces {
                unsteady += 1
            }
        }
        #expect(unsteady < 20, "\(unsteady)")
    }

    /// The cap of the whole radius was read, so that nothing can be missing.
    @Test func needsNoOtherReadForAPlaceThatIsGoneIfTheRadiusIsTheBound() async throws {
        var generator = SeededGenerator(seed: 8)
        let origin: UnitVector = (1, 0, 0)
        let near = (1...15).map { id in
            // These keys follow the origin's.
            let y = Double.random(in: 0...1e-5, using: &generator)
            return Place(id: Int64(id), point: normalized(1, y, y), record: id * 10)
        }
        // They are just beyond the radius, but their keys are among those of the first read.
        let others = (100...400).map { id in
            let angle = Double.random(in: 0...(2 * .pi), using: &generator)
            let radius = Double.random(in: 3.2e-4...3.6e-4, using: &generator)
            let point = normalized(1, radius * cos(angle), radius * sin(angle))
            return Place(id: Int64(id), point: point, record: id * 10)
        }
        let reader = ArrayReader(near + others)
        reader.afterRead = { reader in reader.places.removeAll { $0.id == 3 } }

        let found = try await NearestSearch(from: origin, within: 2, limit: 20)
            .records(in: reader, ReachHints())

        #expect(found.count == 14)
        #expect(reader.readCount == 2)
    }

    @Test func givesUpIfPlacesDisappearAllTheTime() async throws {
        var generator = SeededGenerator(seed: 6)
        let places = Self.places(1000, using: &generator)
        let reader = ArrayReader(places)
        reader.hidesPlacesFromCovers = true

        await #expect(throws: UnsteadyPlaces.self) {
            try await NearestSearch(from: places[0].point, within: 20_020, limit: 20)
                .records(in: reader, ReachHints())
        }
        #expect(reader.readCount == 16)
    }

    /// Returns the ids of the places, nearest first.
    private static func nearest(to origin: UnitVector, in places: [Place<Int>]) -> [Int64] {
        places.map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
            .sorted { $0 < $1 }.map(\.1)
    }

    /// Some hundred places, many of them on one point or within a few metres, and others around.
    private static func crowd(
        around origin: UnitVector,
        using generator: inout SeededGenerator
    ) -> [Place<Int>] {
        let spread: Double = [0.0, 1e-6, 1e-4].randomElement(using: &generator) ?? 0
        let center = generator.point(near: origin, within: 1e-5)
        return (1...700).map { id in
            let isOfCrowd = generator.next() % 4 != 0
            let point =
                isOfCrowd
                ? generator.point(near: center, within: spread)
                : generator.point(near: origin, within: 1e-3)
            return Place(id: Int64(id), point: point, record: id * 10)
        }
    }

    private static func places(
        _ count: Int,
        using generator: inout SeededGenerator
    ) -> [Place<Int>] {
        (1...count).map { id in
            Place(id: Int64(id), point: generator.coordinate().unitVector, record: id * 10)
        }
    }
}

/// Places in an array that counts how often they are read.
private final class ArrayReader: RemotePlaceReader {
    var places: [Place<Int>]
    var readCount = 0
    /// The number of places that were read.
    var placeCount = 0
    var afterRead: (ArrayReader) -> Void = { _ in }
    /// The places as they were at the latest read.
    private(set) var lastRead: [Place<Int>] = []
    var hidesPlacesFromCovers = false

    private let keys: [Int64: CellKey]

    init(_ places: [Place<Int>]) {
        self.places = places
        keys = Dictionary(uniqueKeysWithValues: places.map { ($0.id, CellKey($0.point)) })
    }

    func readPlaces(around neighbours: NeighbourReads) async throws -> (
        after: ReadPlaces, before: ReadPlaces
    ) {
        beginRead()
        defer { afterRead(self) }
        return (
            read(neighbours.after, neighbours.limit, reversed: false),
            read(neighbours.before, neighbours.limit, reversed: true)
        )
    }

    func readPlaces(in ranges: [ClosedRange<CellKey>], limit: Int) async throws -> ReadPlaces {
        beginRead()
        defer { afterRead(self) }
        return hidesPlacesFromCovers
            ? ReadPlaces([], areAll: true) : read(ranges, limit, reversed: false)
    }

    func readPlaces(in cap: Cap, limit: Int) async throws -> ReadPlaces {
        try await readPlaces(in: cap.keyRanges, limit: limit)
    }

    private func beginRead() {
        readCount += 1
        lastRead = places
    }

    private func read(
        _ ranges: [ClosedRange<CellKey>],
        _ limit: Int,
        reversed: Bool
    ) -> ReadPlaces {
        let found = places.compactMap { place in keys[place.id].map { (key: $0, place: place) } }
            .filter { entry in ranges.contains { $0.contains(entry.key) } }
            .sorted { reversed ? $0.key > $1.key : $0.key < $1.key }
        placeCount += min(found.count, limit)
        return ReadPlaces(found.prefix(limit).map(\.place), areAll: found.count <= limit)
    }
}
