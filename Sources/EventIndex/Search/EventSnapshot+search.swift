package import Cells
package import Model

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of places.
    ///
    /// `coordinate` returns the exact place of a represented event. O(log n + m) for m places in
    /// the ranges.
    package func forEachMatch(
        in ranges: [ClosedRange<CellKey>],
        of read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let matcher = EventMatcher(read)
        var count = 0
        var matchCount = 0
        // A place is read and not counted as one of the limit, so one more tells if all were read.
        let isComplete = forEachEntry(in: ranges, limit: read.maximumReads) {
            leaf,
            index,
            position in
            count += 1
            let entry = leaf.entries[index]
            let distance = matcher.distance(entry.point, entry.values) {
                coordinate(leaf.representation(at: index).span)
            }
            guard let distance else { return true }
            matchCount += 1
            body(
                EventMatch(
                    id: entry.key.id,
                    point: entry.point,
                    startedAt: entry.values.startedAt,
                    millimetres: distance,
                    record: .memory(
                        Location(position, leaf.byteRange(of: index..<index + 1))
                    )
                )
            )
            return matchCount < read.maximumMatches
        }
        return EventReadEnd(count: count, isComplete: isComplete)
    }

    /// Returns the representation of an event that a search of this snapshot has found.
    package func representation(at location: Location) -> ArraySlice<UInt8> {
        places[location.position].bytes[location.byteRange]
    }

    /// Calls `body` with the places in the ranges, in rising order, until it returns false.
    ///
    /// Returns whether these were all places in the ranges.
    @inline(__always)
    private func forEachEntry(
        in ranges: [ClosedRange<CellKey>],
        limit: Int,
        _ body: (PlaceLeaf, Int, SortedLeaves<PlaceLeaf>.Position) -> Bool
    ) -> Bool {
        guard let lowest = ranges.first?.lowerBound,
            var position = places.position(of: .first(in: lowest))
        else { return true }
        var leaf = places[position]
        var rest = limit
        for range in ranges {
            let first = PlaceKey.first(in: range.lowerBound)
            // Most ranges begin in the leaf where the one before has ended.
            if let known = leaf.entries.last, known.key < first,
                let next = places.position(of: first)
            {
                position = next
                leaf = places[position]
            }
            var index = leaf.index(from: first)
            while true {
                guard index < leaf.entries.count else {
                    guard let next = places.position(after: position) else { return true }
                    position = next
                    leaf = places[position]
                    index = 0
                    continue
                }
                guard leaf.entries[index].key.cell <= range.upperBound else { break }
                guard rest > 0 else { return false }
                rest -= 1
                guard body(leaf, index, position) else { return false }
                index += 1
            }
        }
        return true
    }
}
