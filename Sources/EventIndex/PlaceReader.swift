package import Cells
import Model

/// A source of places in another module.
///
/// The compiler does not specialize the search for types of other modules, which would double its
/// time. So it is specialized here for this type, which has no generic parameter in its interface.
package protocol PlaceReader {
    /// Calls `body` with the first places whose keys are in the ranges.
    ///
    /// - Parameters:
    ///   - ranges: The keys, in rising order.
    ///   - order: Whether the first ones have the smallest keys or the greatest.
    ///   - limit: The maximum number of places.
    ///   - body: What to call, with the places in any order. `record` is what the reader needs to
    ///     find the record.
    /// - Returns: Whether these were all places with keys in the ranges.
    /// - Throws: An error if the places can't be read.
    func readPlaces(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws -> Bool
}

extension NearestSearch {
    /// Returns the nearest places, nearest first and ties by id.
    ///
    /// O(log n + m log m) for n places and m results, in a reader that finds keys in O(log n), as
    /// in `nearest(in:)`.
    ///
    /// With `hints`, the search first reads the cap that earlier searches suggest. That suits a
    /// reader that reads few places for about as long as many.
    package func nearest(
        in reader: any PlaceReader,
        _ hints: ReachHints?
    ) throws -> [FoundPlace<Int>] {
        let key = CellKey(origin)
        let guess = hints?.angle(around: key, for: limit)
        let found = try nearest(in: ReaderSource(reader: reader, angle: guess))
        if let hints { note(found, in: hints, around: key, after: guess) }
        return found
    }

    /// Remembers how far the search had to look.
    func note(
        _ found: [FoundPlace<Int>],
        in hints: ReachHints,
        around key: CellKey,
        after guess: Double?
    ) {
        // If the radius ends the search, there are as many places as were found in all of it.
        let reach = found.count < limit ? radius : found.last?.distance ?? radius
        let angle = min(reach / Coordinate.sphereRadius, .pi)
        hints.note(found.count, within: angle, around: key, after: guess)
    }
}

private struct ReaderSource: PlaceSource {
    let reader: any PlaceReader
    let angle: Double?

    func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Int>) -> Void
    ) throws -> Bool {
        try reader.readPlaces(in: ranges, order, limit: limit) { id, point, record in
            body(Place(id: id, point: point, record: record))
        }
    }

    func likelyAngle(around key: CellKey, for count: Int) -> Double? { angle }
}
