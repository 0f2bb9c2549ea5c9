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
        let region = read.filter.keyRanges.map(KeyRegion.init)
        var end = EventReadEnd(count: 0, isComplete: true)
        var matchCount = 0
        forEachEvent(ownedBy: owner, after: read.start?.id, read.isDescending) { id, cell in
            guard end.count < read.maximumReads, matchCount < read.maximumMatches else {
                end.isComplete = false
                return false
            }
            end.count += 1
            end.last = EventPosition(key: id, id: id)
            guard region?.contains(cell) ?? true,
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
    @inline(__always)
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

/// The keys in some ranges, with a quick test that most other keys fail.
struct KeyRegion {
    /// The size of the cells of the quick test, about 300 km.
    private static let level = 5
    private static let bits = Int64(2 * (CellKey.maximumLevel - level))
    private static let lastCell = CellKey.all.upperBound.rawValue >> bits

    /// The ranges in rising order.
    private let ranges: [ClosedRange<CellKey>]
    /// A bit for each cell: whether a range has keys in it.
    private var cells = Array(repeating: 0 as UInt64, count: Int(lastCell >> 6) + 1)

    /// Creates the region of ranges, which are in rising order.
    init(_ ranges: [ClosedRange<CellKey>]) {
        self.ranges = ranges
        for range in ranges {
            for cell in Self.cell(of: range.lowerBound)...Self.cell(of: range.upperBound) {
                cells[cell >> 6] |= 1 << UInt64(cell & 63)
            }
        }
    }

    /// Returns whether a key is in one of the ranges; O(log n) for n ranges.
    @inline(__always)
    func contains(_ key: CellKey) -> Bool {
        let cell = Self.cell(of: key)
        guard cells[cell >> 6] >> UInt64(cell & 63) & 1 != 0 else { return false }
        let index = ranges.partitionIndex { $0.upperBound < key }
        return index < ranges.count && ranges[index].lowerBound <= key
    }

    /// Returns the number of the cell of a key; keys that don't exist count as the nearest ones.
    @inline(__always)
    private static func cell(of key: CellKey) -> Int {
        Int(min(max(key.rawValue >> bits, 0), lastCell))
    }
}
