import Cells
package import Model

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.owned`, in the order of the ids.
    ///
    /// Most events outside of the filter's region or window are recognized by their cells and rough
    /// times, without a look at their places.
    package func forEachMatch(
        ownedBy owner: Int64,
        of read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        var search = OwnedMatches(of: read)
        var stop: Int64?
        func mayRead(_ index: Int, of leaf: KeyedLeaf<OwnedKey, OwnedEvent>) -> Bool {
            if search.count < read.maximumReads { return true }
            search.isComplete = false
            // The position before this event.
            let id = leaf.keys[index].id
            stop = read.isDescending ? id &+ 1 : id &- 1
            return false
        }
        forEachLeaf(ownedBy: owner, after: read.start?.id, read.isDescending) { leaf, indices in
            let first = read.isDescending ? indices.upperBound - 1 : indices.lowerBound
            guard mayRead(first, of: leaf) else { return false }
            var rest = search.mayMatch(leaf.values, indices)
            let skipped = indices.count - rest.nonzeroBitCount
            while rest != 0 {
                let index = read.isDescending ? rest.highestBit : rest.trailingZeroBitCount
                rest ^= 1 << UInt64(truncatingIfNeeded: index)
                guard mayRead(index, of: leaf) else { return false }
                let key = PlaceKey(cell: leaf.values[index].cell, id: leaf.keys[index].id)
                guard search.add(key, in: self, coordinate, body) else { return false }
            }
            // After the others, so that each read makes progress.
            search.skip(skipped)
            return true
        }
        search.compare(in: self, coordinate, body)
        return EventReadEnd(
            count: search.count,
            isComplete: search.isComplete,
            last: (search.lastMatch ?? stop).map { EventPosition(key: $0, id: $0) }
        )
    }

    /// Returns the number of events of an owner.
    ///
    /// Reads a leaf for each 64 of them or fewer.
    package func eventCount(ofOwner owner: Int64) -> Int {
        var count = 0
        forEachLeaf(ownedBy: owner, after: nil, false) { _, indices in
            count += indices.count
            return true
        }
        return count
    }

    /// Calls `body` with the events of an owner after an id, in leaves, until it returns false.
    ///
    /// `indices` are those of the events in the leaf, at least one.
    @inline(__always)
    private func forEachLeaf(
        ownedBy owner: Int64,
        after id: Int64?,
        _ isDescending: Bool,
        _ body: (_ leaf: KeyedLeaf<OwnedKey, OwnedEvent>, _ indices: Range<Int>) -> Bool
    ) {
        // A copy, so that references are not counted for each leaf.
        let owned = owned
        let first = OwnedKey(ownerID: owner, id: isDescending ? .min : id ?? .min)
        let last = OwnedKey(ownerID: owner, id: isDescending ? id ?? .max : .max)
        var next = owned.position(of: isDescending ? last : first)
        while let position = next {
            let leaf = owned[position]
            let end = owned.firstKey(after: position)
            var (lower, upper) = (0, leaf.values.count)
            // The keys of most leaves are not needed.
            let isInside = first < leaf.firstKey && end.map { $0 <= last } ?? false
            if !isInside {
                lower = leaf.keys.partitionIndex { $0 < first }
                upper = leaf.keys.partitionIndex { $0 <= last }
                if let id, lower < upper {
                    if !isDescending, leaf.keys[lower].id == id { lower += 1 }
                    if isDescending, leaf.keys[upper - 1].id == id { upper -= 1 }
                }
            }
            if lower < upper, !body(leaf, lower..<upper) { return }
            // Where the list ends in the leaf, the next leaf is another owner's.
            guard isDescending ? lower == 0 : upper == leaf.values.count else { return }
            next =
                isDescending ? owned.position(before: position) : owned.position(after: position)
        }
    }
}

/// The comparison of an owner's events with a filter, some at a time.
///
/// The processor loads the leaves of several events at the same time, and otherwise one after the
/// other.
private struct OwnedMatches {
    private let matcher: EventMatcher
    private let region: KeyRegion?
    private let maximumMatches: Int
    private var matchCount = 0
    /// The events that are to be compared next.
    private var keys: [PlaceKey] = []
    /// The number of events that were compared, and one more for every 16 that were skipped.
    private(set) var count = 0
    /// The number of skipped events that don't count yet.
    private var skipped = 0
    /// Whether neither the maximum number of matches nor of reads was reached.
    var isComplete = true
    /// The id of the last match, if there is the maximum number of them.
    private(set) var lastMatch: Int64?

    /// The number of events that are compared together.
    private static let eventsAtOnce = 16
    /// The number of skipped events that take as long as comparing one.
    private static let skippedPerRead = 16

    init(of read: EventRead) {
        matcher = EventMatcher(read)
        region = read.filter.keyRanges.map(KeyRegion.init)
        maximumMatches = read.maximumMatches
        keys.reserveCapacity(Self.eventsAtOnce)
    }

    /// Returns a bit for each of these events of a leaf: 0 if its cell or rough times exclude it.
    ///
    /// O(n).
    func mayMatch(_ array: [OwnedEvent], _ indices: Range<Int>) -> UInt64 {
        let events = array.span
        var matching = region?.mayContain(events, indices) ?? UInt64(bits: indices)
        var rest = matching
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            let event = events[index]
            let mayMatch =
                matcher.mayMatch(event.times) && region?.contains(event.cell) ?? true
            if !mayMatch { matching ^= 1 << UInt64(truncatingIfNeeded: index) }
        }
        return matching
    }

    /// Counts events that cells or rough times exclude.
    mutating func skip(_ number: Int) {
        skipped += number
        count += skipped / Self.skippedPerRead
        skipped %= Self.skippedPerRead
    }

    /// Adds an event that may match, and returns whether more are needed.
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
///
/// It tests a bit in a table of all cells of about 300 km.
struct KeyRegion {
    /// The number of bits of a key that don't belong to its cell, of level 5.
    private static var bits: Int64 { Int64(2 * (CellKey.maximumLevel - 5)) }
    /// The words of the table, a power of two, so that a mask keeps each index in it.
    ///
    /// The 6 · 4⁵ cells need 96.
    private static var wordCount: Int { 128 }

    /// The ranges in rising order.
    private let ranges: [ClosedRange<CellKey>]
    /// A bit for each cell: whether a range has keys in it.
    private var cells = [UInt64](repeating: 0, count: wordCount)

    /// Creates the region of ranges of existing keys, which are in rising order.
    init(_ ranges: [ClosedRange<CellKey>]) {
        self.ranges = ranges
        for range in ranges {
            for cell in Self.cell(of: range.lowerBound)...Self.cell(of: range.upperBound) {
                cells[cell >> 6] |= 1 << UInt64(cell & 63)
            }
        }
    }

    /// Returns a bit for each of some events of a leaf: 0 if its cell is surely not in the region.
    ///
    /// O(n). There is no branch for each event, because the processor can't predict it.
    func mayContain(_ events: Span<OwnedEvent>, _ indices: Range<Int>) -> UInt64 {
        let cells = cells.span
        var matching: UInt64 = 0
        for index in indices {
            let cell = Self.cell(of: events[index].cell)
            let bit = cells[cell >> 6] >> UInt64(truncatingIfNeeded: cell & 63) & 1
            matching |= bit << UInt64(truncatingIfNeeded: index & 63)
        }
        return matching
    }

    /// Returns whether a key is in one of the ranges; O(log n) for n ranges.
    func contains(_ key: CellKey) -> Bool {
        let index = ranges.partitionIndex { $0.upperBound < key }
        return index < ranges.count && ranges[index].lowerBound <= key
    }

    /// Returns the number of the cell of a key; keys that don't exist wrap around.
    @inline(__always)
    private static func cell(of key: CellKey) -> Int {
        Int(truncatingIfNeeded: key.rawValue &>> bits) & (wordCount * UInt64.bitWidth - 1)
    }
}
