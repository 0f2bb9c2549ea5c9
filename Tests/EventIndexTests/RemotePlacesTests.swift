import Cells
import EventIndex
import Model
import Randomness
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
                        .records(in: reader)

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

    @Test func findsTheFirstIDsOfManyEventsInOnePlace() async throws {
        let point = Coordinate(latitude: 10, longitude: 20).unitVector
        let reader = ArrayReader((1...5000).map { Place(id: $0, point: point, record: Int($0)) })
        let found = try await NearestSearch(from: point, within: 20_020, limit: 20)
            .records(in: reader)
        #expect(found == Array(1...20))
    }

    @Test func readsNothingForAnImpossibleQuery() async throws {
        let reader = ArrayReader([Place(id: 1, point: (1, 0, 0), record: 1)])
        for (radius, limit) in [(-1.0, 5), (.nan, 5), (5, 0)] {
            let found = try await NearestSearch(from: (1, 0, 0), within: radius, limit: limit)
                .records(in: reader)
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
        reader.afterFirstRead = { reader in
            reader.places.removeAll { Coordinate.distance(from: origin, to: $0.point) < 500 }
        }
        let found = try await NearestSearch(from: origin, within: 20_020, limit: 20)
            .records(in: reader)

        let expected = reader.places
            .map { (Coordinate.distance(from: origin, to: $0.point), $0.id) }
            .sorted { $0 < $1 }.prefix(20)
        #expect(found == expected.map { Int($0.1) * 10 })
    }

    @Test func givesUpIfPlacesDisappearAllTheTime() async throws {
        var generator = SeededGenerator(seed: 6)
        let places = Self.places(1000, using: &generator)
        let reader = ArrayReader(places)
        reader.hidesPlacesFromCovers = true

        await #expect(throws: UnsteadyPlaces.self) {
            try await NearestSearch(from: places[0].point, within: 20_020, limit: 20)
                .records(in: reader)
        }
        #expect(reader.readCount == 16)
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
    var afterFirstRead: (ArrayReader) -> Void = { _ in }
    var hidesPlacesFromCovers = false

    init(_ places: [Place<Int>]) {
        self.places = places
    }

    func readPlaces(around neighbours: NeighbourReads) async throws -> (
        after: ReadPlaces, before: ReadPlaces
    ) {
        readCount += 1
        defer { if readCount == 1 { afterFirstRead(self) } }
        return (
            read(neighbours.after, neighbours.limit, reversed: false),
            read(neighbours.before, neighbours.limit, reversed: true)
        )
    }

    func readPlaces(in ranges: [ClosedRange<CellKey>], limit: Int) async throws -> ReadPlaces {
        readCount += 1
        return hidesPlacesFromCovers
            ? ReadPlaces([], areAll: true) : read(ranges, limit, reversed: false)
    }

    private func read(
        _ ranges: [ClosedRange<CellKey>],
        _ limit: Int,
        reversed: Bool
    ) -> ReadPlaces {
        let found = places.map { (key: CellKey($0.point), place: $0) }
            .filter { entry in ranges.contains { $0.contains(entry.key) } }
            .sorted { reversed ? $0.key > $1.key : $0.key < $1.key }
        return ReadPlaces(found.prefix(limit).map(\.place), areAll: found.count <= limit)
    }
}

extension SeededGenerator {
    fileprivate mutating func coordinate() -> Coordinate {
        Coordinate(
            latitude: Double.random(in: -90...90, using: &self),
            longitude: Double.random(in: -180...180, using: &self)
        )
    }
}
