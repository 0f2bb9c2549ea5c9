package import Cells

/// A search for the places nearest to a point, in any source of places in the order of their keys.
///
/// It works in two steps. First it reads the neighbours of the point on the curve: the distance of
/// the `limit`th of them is a bound, because the `limit` nearest places can't be farther away.
/// Then it covers the cap of that bound with ranges of keys, and reads all places there. If the
/// radius contains only few places, the first step has already read all of them.
///
/// A source in memory knows how dense its places are. In that case, the search first reads the
/// cap that probably contains enough places, and needs the two steps only if it doesn't.
///
/// It reads about six times as many places as it returns, whatever the radius. Exceptions are
/// places that are about as far away as the last result: within 10 m it reads all of them, for
/// example a thousand events in one building. It reads those once. Before that, it usually reads at
/// most 18 times the number of places that it tries at once.
package struct NearestSearch: Sendable {
    let origin: UnitVector
    let radius: Double
    let limit: Int

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - origin: The point to measure from.
    ///   - radius: In km, inclusive. If it is negative or NaN, nothing is found.
    ///   - limit: The maximum number of results.
    package init(from origin: UnitVector, within radius: Double, limit: Int) {
        self.origin = origin
        self.radius = radius
        self.limit = limit
    }

    /// The number of places that the second step reads for each result before it tries a smaller
    /// cap; it usually reads three or four.
    private static let placesPerResult = 8
    /// The number of places that it reads before that for few results.
    ///
    /// Usually a search for 20 reads 70 of them. So it is only reached where the bound is far too
    /// large. A smaller number would cost a search with a large but useful cap another read.
    private static let fewPlaces = 512
    /// The factor by which that number grows once where a smaller cap had too few places.
    ///
    /// That read lowers the bound. If there are still more places, all of them are read at once,
    /// because each attempt begins from the start.
    private static let growth = 16
    /// The number of places for each result in the smaller cap, if places were spread evenly.
    ///
    /// With twice as many as needed, it seldom has too few.
    private static let expectedPlaces = 2.0

    /// Returns the places nearest first, and ties by id.
    ///
    /// O(log n + m log m) for n places and m results, in a source that finds keys in O(log n). All
    /// places within 10 m of the last result's distance count as results here.
    package func nearest<Source: PlaceSource>(
        in source: borrowing Source
    ) throws -> [FoundPlace<Source.Record>] {
        try search(source).found
    }

    /// Returns the places nearest first, and whether they are all within the radius as far as the
    /// last read can tell.
    ///
    /// Otherwise, places from an earlier read have shown that no result is farther away than they
    /// are. If they don't exist any more, results can be missing, and there are less than `limit`.
    func search<Source: PlaceSource>(
        _ source: borrowing Source
    ) throws -> (found: [FoundPlace<Source.Record>], areAll: Bool) {
        guard limit > 0, radius >= 0 else { return ([], true) }
        var found = NearestPlaces<Source.Record>(from: origin, limit: limit, radius: radius)
        let widest = found.bound
        if let results = try likelyResults(in: source) { return (results, true) }
        let ranges = Cap(center: origin, angle: widest).keyRanges
        if try readNeighbours(in: ranges, of: source, &found) { return (found.sorted(), true) }
        var placesAtOnce = placesAtOnce
        var angle = widest
        var wasTooSmall = false
        var isDense = false
        while true {
            // What was found before is in the cap as well, and is read again with the rest.
            found.removeAllButBound()
            angle = min(angle, found.bound)
            let ranges = Cap(center: origin, angle: angle).keyRanges
            let isComplete = try source.forEachPlace(
                in: ranges[...],
                .rising,
                limit: placesAtOnce
            ) { found.consider($0) }
            if isComplete {
                if let results = found.sorted(within: angle) {
                    return (results, found.bound == widest)
                }
                wasTooSmall = true
                angle *= 2
            } else if isDense || angle < Cap.slack {
                // No smaller cap has all results.
                placesAtOnce = .max
            } else if wasTooSmall {
                placesAtOnce = placesAtOnce.multiplied(by: Self.growth)
                isDense = true
            } else {
                // The bound is far too large, as for a point beside a crowd.
                angle *= (Self.expectedPlaces * Double(limit) / Double(placesAtOnce)).squareRoot()
            }
        }
    }

    /// The number of places that a read may return before a smaller cap is tried.
    var placesAtOnce: Int { max(limit.multiplied(by: Self.placesPerResult), Self.fewPlaces) }

    /// Returns the results if the source knows an angle that contains enough places, but not too
    /// many.
    private func likelyResults<Source: PlaceSource>(
        in source: borrowing Source
    ) throws -> [FoundPlace<Source.Record>]? {
        guard let likely = source.likelyAngle(around: CellKey(origin), for: limit) else {
            return nil
        }
        var found = NearestPlaces<Source.Record>(from: origin, limit: limit, radius: radius)
        let angle = min(likely, found.bound)
        let isComplete = try source.forEachPlace(
            in: Cap(center: origin, angle: angle).keyRanges[...],
            .rising,
            limit: placesAtOnce
        ) { found.consider($0) }
        return isComplete ? found.sorted(within: angle) : nil
    }

    /// Reads at most `limit` places before and after the origin on the curve.
    ///
    /// - Returns: Whether these are all places in the ranges.
    private func readNeighbours<Source: PlaceSource>(
        in ranges: [ClosedRange<CellKey>],
        of source: borrowing Source,
        _ found: inout NearestPlaces<Source.Record>
    ) throws -> Bool {
        let key = CellKey(origin)
        // The cap includes its center, so there is such a range.
        let middle = ranges.firstIndex { $0.upperBound >= key } ?? ranges.endIndex
        var after = ranges[middle...]
        var before = ranges[..<middle]
        if let range = after.first, range.lowerBound < key {
            after[middle] = key...range.upperBound
            before.append(range.lowerBound...CellKey(rawValue: key.rawValue - 1))
        }
        let isAfterComplete = try source.forEachPlace(in: after, .rising, limit: limit) {
            found.consider($0)
        }
        let isBeforeComplete = try source.forEachPlace(in: before, .falling, limit: limit) {
            found.consider($0)
        }
        return isAfterComplete && isBeforeComplete
    }
}

extension Int {
    /// Returns the product with a positive number, or the greatest integer if it is less.
    fileprivate func multiplied(by factor: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
