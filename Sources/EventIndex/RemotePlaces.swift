package import Cells
import Model

/// A source of places that takes long to respond, such as a database on another machine.
package protocol RemotePlaceReader {
    /// Returns the first places on both sides of the origin, from one state of the records.
    ///
    /// `record` of a place is what finds the record.
    func readPlaces(around neighbours: NeighbourReads) async throws -> (
        after: ReadPlaces, before: ReadPlaces
    )

    /// Returns at most `limit` places whose keys are in the ranges of a cap, from one state of the
    /// records.
    ///
    /// It may leave out places that are not in the cap.
    func readPlaces(in cap: Cap, limit: Int) async throws -> ReadPlaces

    /// Returns at most `limit` places whose keys are in the ranges, from one state of the records.
    func readPlaces(in ranges: [ClosedRange<CellKey>], limit: Int) async throws -> ReadPlaces
}

/// The ranges of keys after and before the origin of a search, each in rising order.
package struct NeighbourReads: Sendable {
    /// To be read from the smallest key on.
    package let after: [ClosedRange<CellKey>]
    /// To be read from the greatest key on.
    package let before: [ClosedRange<CellKey>]
    /// The maximum number of places on each side.
    package let limit: Int
}

/// Places that a source has read.
package struct ReadPlaces {
    fileprivate let places: [Place<Int>]
    fileprivate let areAll: Bool

    /// Creates a result; `areAll` is whether there are no other places there.
    package init(_ places: [Place<Int>], areAll: Bool) {
        self.places = places
        self.areAll = areAll
    }
}

/// The error for a search during which records have changed all the time.
package struct UnsteadyPlaces: Error {}

extension NearestSearch {
    /// How often a search begins again because places have disappeared between two reads.
    private static let mostAttempts = 8

    /// Returns the records of the nearest places, nearest first and ties by id.
    ///
    /// The reader is called once if `hints` are good, otherwise two to four times, and more often
    /// only where very many places are near each other.
    ///
    /// All results are from one read, so they are from one state of the records.
    ///
    /// - Throws: What the reader throws, and `UnsteadyPlaces`.
    package func records(
        in reader: some RemotePlaceReader,
        _ hints: ReachHints
    ) async throws -> [Int] {
        guard limit > 0, radius >= 0 else { return [] }
        let key = CellKey(origin)
        let guess = hints.angle(around: key, for: limit)
        let found =
            if let guess, let found = try await places(in: reader, within: guess) {
                found
            } else {
                try await places(in: reader)
            }
        note(found, in: hints, around: key, after: guess)
        return found.map(\.record)
    }

    /// Returns the nearest places if a guess of their greatest distance, an angle in radians, or a
    /// second one are right, and nil otherwise.
    private func places(
        in reader: some RemotePlaceReader,
        within guess: Double
    ) async throws -> [FoundPlace<Int>]? {
        var angle = guess
        for _ in 1...2 {
            var found = NearestPlaces<Int>(from: origin, limit: limit, radius: radius)
            angle = min(angle, found.bound)
            let cap = Cap(center: origin, angle: angle)
            let read = try await reader.readPlaces(in: cap, limit: placesAtOnce)
            guard read.areAll else { return nil }
            for place in read.places { found.consider(place) }
            if let results = found.sorted(within: angle) { return results }
            let count = found.sorted().count { $0.distance <= angle * Coordinate.sphereRadius }
            angle *= ReachHints.margin * (Double(limit) / Double(count + 1)).squareRoot()
        }
        return nil
    }

    /// Returns the nearest places without a guess of their distance.
    ///
    /// The search itself is the one for sources in memory. It runs up to the first read with an
    /// unknown result, and begins again once that is known: it needs some microseconds, and the
    /// reader much longer.
    private func places(in reader: some RemotePlaceReader) async throws -> [FoundPlace<Int>] {
        for _ in 1...Self.mostAttempts {
            let known = KnownPlaces()
            while true {
                let (found, areAll): ([FoundPlace<Int>], Bool)
                do {
                    (found, areAll) = try search(known)
                } catch let read as UnknownPlaces {
                    try await known.add(read, from: reader)
                    continue
                }
                if areAll || found.count == limit { return found }
                // The bound was the distance of a place that does not exist any more.
                break
            }
        }
        throw UnsteadyPlaces()
    }
}

/// A read of a search whose result is not known yet.
private struct UnknownPlaces: Error {
    let ranges: [ClosedRange<CellKey>]
    let limit: Int
}

/// The places that a search has read so far.
///
/// It gives them to the search in the order of its reads.
private final class KnownPlaces: PlaceSource {
    private var reads: [ReadPlaces] = []
    /// The number of reads of the present run of the search.
    private var position = 0
    /// The first read, whose result is read together with that of the second.
    private var after: [ClosedRange<CellKey>] = []

    func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Int>) -> Void
    ) throws -> Bool {
        guard position < reads.count else {
            if position == 0, order == .rising {
                after = Array(ranges)
                position = 1
                return false
            }
            position = 0
            throw UnknownPlaces(ranges: Array(ranges), limit: limit)
        }
        let read = reads[position]
        position += 1
        for place in read.places { body(place) }
        return read.areAll
    }

    func add(_ read: UnknownPlaces, from reader: some RemotePlaceReader) async throws {
        if reads.isEmpty {
            let sides = try await reader.readPlaces(
                around: NeighbourReads(after: after, before: read.ranges, limit: read.limit)
            )
            reads = [sides.after, sides.before]
        } else {
            reads.append(try await reader.readPlaces(in: read.ranges, limit: read.limit))
        }
    }
}
