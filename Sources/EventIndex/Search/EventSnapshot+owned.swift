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
        let region = read.filter.keyRanges.map(KeyRegion.init)
        var search = OwnedMatches(of: read)
        var skipped = 0
        var last: Int64?
        forEachEvent(ownedBy: owner, after: read.start?.id, read.isDescending) { id, cell in
            // Counted like this, because a division for each event would take longer.
            if skipped == Self.skippedPerRead {
                skipped = 0
                search.skip()
            }
            guard search.count < read.maximumReads else {
                search.isComplete = false
                return false
            }
            last = id
            guard region?.contains(cell) ?? true else {
                skipped += 1
                return true
            }
            return search.add(PlaceKey(cell: cell, id: id), in: self, coordinate, body)
        }
        search.compare(in: self, coordinate, body)
        let position = (search.lastMatch ?? last).map { EventPosition(key: $0, id: $0) }
        return EventReadEnd(
            count: search.count,
            isComplete: search.isComplete,
            last: position
        )
    }

    /// The number of events outside of the region that take as long as comparing one.
    private static let skippedPerRead = 16

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

/// The comparison of an owner's events with a filter, some at a time.
///
/// The processor loads the leaves of several events at the same time, and otherwise one after the
/// other.
private struct OwnedMatches {
    private let matcher: EventMatcher
    private let maximumMatches: Int
    private var matchCount = 0
    /// The events that are to be compared next.
    private var keys: [PlaceKey] = []
    /// The number of events that were added; as many skipped events as take that long count as one.
    private(set) var count = 0
    /// Whether neither the maximum number of matches nor of reads was reached.
    var isComplete = true
    /// The id of the last match, if there is the maximum number of them.
    private(set) var lastMatch: Int64?

    /// The number of events that are compared together.
    private static let eventsAtOnce = 16

    init(of read: EventRead) {
        matcher = EventMatcher(read)
        maximumMatches = read.maximumMatches
        keys.reserveCapacity(Self.eventsAtOnce)
    }

    /// Counts events outside of the region that together take as long as comparing one.
    mutating func skip() { count += 1 }

    /// Adds an event in the region, and returns whether more are needed.
    mutating func add(
        _ key: PlaceKey,
        in snapshot: EventSnapshot,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> Bool {
        count += 1
        keys.append(key)
        if keys.count == Self.eventsAtOnce { compare(in: snapshot, coordinate, body) }
        return isComplete
    }

    /// Calls `body` with the matches among the events that were added.
    mutating func compare(
        in snapshot: EventSnapshot,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) {
        defer { keys.removeAll(keepingCapacity: true) }
        let positions = keys.map { snapshot.places.position(of: $0) }
        let size = positions.reduce(0) { sum, position in
            sum + (position.map { snapshot.places[$0].cells.count } ?? 0)
        }
        guard size > 0 else { return }
        for (key, position) in zip(keys, positions) {
            guard matchCount < maximumMatches else {
                isComplete = false
                return
            }
            guard let position else { continue }
            let leaf = snapshot.places[position]
            guard let index = leaf.index(of: key), matcher.mayMatch(leaf.values[index]),
                let match = snapshot.match(
                    at: index,
                    of: leaf,
                    position,
                    matcher,
                    coordinate
                )
            else { continue }
            matchCount += 1
            if matchCount == maximumMatches { lastMatch = key.id }
            body(match)
        }
    }
}

/// The keys in some ranges, with a quick test that most other keys fail.
struct KeyRegion {
    /// The size of the cells of the quick test, about 300 km.
    private static let level = 5

    /// The number of bits of a key that don't belong to its cell.
    private let bits = Int64(2 * (CellKey.maximumLevel - level))
    private let lastCell: Int64
    /// The ranges in rising order.
    private let ranges: [ClosedRange<CellKey>]
    /// A bit for each cell: whether a range has keys in it.
    private var cells: [UInt64]

    /// Creates the region of ranges, which are in rising order.
    init(_ ranges: [ClosedRange<CellKey>]) {
        self.ranges = ranges
        lastCell = CellKey.all.upperBound.rawValue >> bits
        cells = Array(repeating: 0, count: Int(lastCell >> 6) + 1)
        for range in ranges {
            for cell in cell(of: range.lowerBound)...cell(of: range.upperBound) {
                cells[cell >> 6] |= 1 << UInt64(cell & 63)
            }
        }
    }

    /// Returns whether a key is in one of the ranges; O(log n) for n ranges.
    @inline(__always)
    func contains(_ key: CellKey) -> Bool {
        let cell = cell(of: key)
        guard cells[cell >> 6] >> UInt64(cell & 63) & 1 != 0 else { return false }
        let index = ranges.partitionIndex { $0.upperBound < key }
        return index < ranges.count && ranges[index].lowerBound <= key
    }

    /// Returns the number of the cell of a key; keys that don't exist count as the nearest ones.
    @inline(__always)
    private func cell(of key: CellKey) -> Int {
        Int(min(max(key.rawValue >> bits, 0), lastCell))
    }
}
