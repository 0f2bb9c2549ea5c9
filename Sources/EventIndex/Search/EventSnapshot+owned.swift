import Cells
package import Model

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.owned`, in the order of the ids.
    ///
    /// Most events outside of the filter's region are recognized by their cells, without a look at
    /// their places.
    package func forEachMatch(
        ownedBy owner: Int64,
        of read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let matcher = EventMatcher(read)
        let region = read.filter.keyRanges
        var end = EventReadEnd(count: 0, isComplete: true)
        var matchCount = 0
        forEachEvent(ownedBy: owner, after: read.start?.id, read.isDescending) { id, cell in
            guard end.count < read.maximumReads, matchCount < read.maximumMatches else {
                end.isComplete = false
                return false
            }
            end.count += 1
            end.last = EventPosition(key: id, id: id)
            guard region?.contain(cell) ?? true,
                let (position, index) = entry(of: PlaceKey(cell: cell, id: id))
            else { return true }
            let leaf = places[position]
            let entry = leaf.entries[index]
            if let match = match(entry, at: index, of: leaf, position, matcher, coordinate) {
                matchCount += 1
                body(match)
            }
            return true
        }
        return end
    }

    /// Calls `body` with the events of an owner after an id, until it returns false.
    private func forEachEvent(
        ownedBy owner: Int64,
        after id: Int64?,
        _ isDescending: Bool,
        _ body: (_ id: Int64, _ cell: CellKey) -> Bool
    ) {
        let start = OwnedKey(ownerID: owner, id: id ?? (isDescending ? .max : .min))
        var next = owned.position(of: start)
        while let position = next {
            let entries = owned[position].entries
            if isDescending {
                var index = entries.partitionIndex { id == nil ? $0.key <= start : $0.key < start }
                while index > 0 {
                    index -= 1
                    let entry = entries[index]
                    guard entry.key.ownerID == owner, body(entry.key.id, entry.cell) else { return }
                }
                next = owned.position(before: position)
            } else {
                let first = entries.partitionIndex { id == nil ? $0.key < start : $0.key <= start }
                for entry in entries[first...] {
                    guard entry.key.ownerID == owner, body(entry.key.id, entry.cell) else { return }
                }
                next = owned.position(after: position)
            }
        }
    }
}

extension [ClosedRange<CellKey>] {
    /// Returns whether a key is in one of these ranges, which are in rising order; O(log n).
    fileprivate func contain(_ key: CellKey) -> Bool {
        let index = partitionIndex { $0.upperBound < key }
        return index < count && self[index].lowerBound <= key
    }
}
