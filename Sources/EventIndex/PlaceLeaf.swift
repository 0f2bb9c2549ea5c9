import Cells
import Model

/// The order of places: by the keys of their cells, then by id.
struct PlaceKey: BitwiseCopyable, Comparable, Sendable {
    let cell: CellKey
    let id: Int64

    static func < (one: PlaceKey, other: PlaceKey) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: cell.rawValue, id) }

    /// The smallest key in a cell, also of events that don't exist.
    static func first(in cell: CellKey) -> PlaceKey { PlaceKey(cell: cell, id: .min) }

    /// The greatest key in a cell, also of events that don't exist.
    static func last(in cell: CellKey) -> PlaceKey { PlaceKey(cell: cell, id: .max) }
}

/// Some events that are next to each other on the curve, with their packed representations.
///
/// All values of a kind are in one array, so that thousands of events take a few allocations. It is
/// a class, because a change copies a list of leaves, which counts a reference of each.
final class PlaceLeaf: SortedLeaf {
    /// An event without its cell and its values.
    struct Entry: BitwiseCopyable {
        let id: Int64
        let point: UnitVector
        /// Where its packed representation ends; it begins where that of the event before ends.
        var end: Int
    }

    /// A new event, a new version of an event, or its removal.
    struct Change {
        let key: PlaceKey
        /// Nil for a removal.
        let content: Content?

        struct Content {
            let point: UnitVector
            let values: FilterValues
            let representation: [UInt8]
        }
    }

    // The count and the arrays come first: with the reference count, they are in the line of the
    // processor's cache that every search loads.
    /// The number of events.
    let count: Int
    /// The cell of each entry.
    ///
    /// Cells, values and entries are in arrays of their own, because a search among a million
    /// events then loads fewer lines of the processor's cache: of most events it compares only the
    /// cell, or only the values.
    let cells: [CellKey]
    /// The values of each entry that filters compare.
    let values: [FilterValues]
    let entries: [Entry]
    let bytes: [UInt8]
    /// The place of each entry on a map.
    let mapPoints: MapPoints
    /// The events as a whole.
    let totals: PlaceTotals
    let summary: PlaceSummary
    let firstKey: PlaceKey

    /// The maximum number of events: `EventGroup` has a bit for each in a word.
    static let maximumEntries = UInt64.bitWidth
    /// The memory of a leaf besides its elements: an object, five arrays, its place in a branch,
    /// its summary in both, and its totals.
    private static let headBytes =
        352 + 2 * MemoryLayout<PlaceSummary>.stride + MemoryLayout<PlaceTotals>.stride
    /// The memory of an event, without its representation and its point on a map.
    private static let entryBytes =
        MemoryLayout<CellKey>.stride + MemoryLayout<FilterValues>.stride
        + MemoryLayout<Entry>.stride

    private init(firstKey: PlaceKey, _ draft: Draft) {
        self.firstKey = firstKey
        count = draft.entries.count
        cells = draft.cells
        values = draft.values
        entries = draft.entries
        mapPoints = draft.mapPoints
        bytes = draft.bytes
        totals = PlaceTotals(draft.mapPoints, draft.values)
        summary = PlaceSummary(draft.entries, draft.values)
    }

    var byteCount: Int {
        Self.headBytes + count * Self.entryBytes + mapPoints.byteCount + bytes.count
    }

    /// A sum with a number of each array, which a caller that needs the leaf soon computes.
    var sumOfLines: Int64 {
        let counts = cells.count &+ values.count &+ entries.count &+ bytes.count
        return Int64(truncatingIfNeeded: counts) &+ mapPoints.sumOfLines
    }

    static func key(of change: Change) -> PlaceKey { change.key }

    /// Returns the bits in which two cells differ.
    ///
    /// So leaves end where a large cell ends: the curve jumps there, and a leaf that contained the
    /// jump would be near too many points.
    static func separation(of key: PlaceKey, _ next: PlaceKey) -> UInt64 {
        UInt64(bitPattern: key.cell.rawValue ^ next.cell.rawValue)
    }

    static func summary(of summaries: [PlaceSummary]) -> PlaceSummary { PlaceSummary(summaries) }

    static func summary(
        _ whole: PlaceSummary,
        replacing old: PlaceSummary,
        by new: PlaceSummary
    ) -> PlaceSummary? {
        whole.replacing(old, by: new)
    }

    static func leaves(of changes: ArraySlice<Change>) -> [PlaceLeaf] {
        var draft = Draft(count: changes.count, byteCount: byteCount(of: changes))
        for change in changes { draft.append(change) }
        return draft.leaves(from: nil)
    }

    func applying(_ changes: ArraySlice<Change>) -> [PlaceLeaf] {
        var draft = Draft(
            count: count + changes.count,
            byteCount: bytes.count + Self.byteCount(of: changes)
        )
        var next = 0
        for change in changes {
            let index = index(from: change.key)
            draft.append(next..<index, of: self)
            draft.append(change)
            next = contains(change.key, at: index) ? index + 1 : index
        }
        draft.append(next..<count, of: self)
        return draft.leaves(from: firstKey)
    }

    /// Returns the packed representation of the event at this index of the leaf.
    func packedRepresentation(at index: Int) -> ArraySlice<UInt8> {
        bytes[byteRange(of: index..<index + 1)]
    }

    /// Returns the index of the event with this key, or nil if it is not in this leaf.
    ///
    /// O(log n + m) for m events in the same cell.
    func index(of key: PlaceKey) -> Int? {
        let index = index(from: key)
        return contains(key, at: index) ? index : nil
    }

    /// Returns the index of the first event from this key on.
    private func index(from key: PlaceKey) -> Int {
        var index = cells.partitionIndex { $0 < key.cell }
        while index < cells.count, cells[index] == key.cell, entries[index].id < key.id {
            index += 1
        }
        return index
    }

    private func contains(_ key: PlaceKey, at index: Int) -> Bool {
        index < cells.count && cells[index] == key.cell && entries[index].id == key.id
    }

    /// Returns where the representations of successive events are.
    func byteRange(of indices: Range<Int>) -> Range<Int> {
        guard !indices.isEmpty else { return 0..<0 }
        let start = indices.lowerBound > 0 ? entries[indices.lowerBound - 1].end : 0
        return start..<entries[indices.upperBound - 1].end
    }

    private static func byteCount(of changes: ArraySlice<Change>) -> Int {
        changes.reduce(0) { $0 + ($1.content?.representation.count ?? 0) }
    }

    /// Events in their order, which become one leaf or several.
    private struct Draft {
        private(set) var cells: [CellKey] = []
        private(set) var values: [FilterValues] = []
        private(set) var entries: [Entry] = []
        private(set) var mapPoints: MapPoints
        private(set) var bytes: [UInt8] = []
        private var nearby = NearbyPlaces()

        /// Begins a draft of at most this size.
        init(count: Int, byteCount: Int) {
            cells.reserveCapacity(count)
            values.reserveCapacity(count)
            entries.reserveCapacity(count)
            mapPoints = MapPoints(capacity: count)
            bytes.reserveCapacity(byteCount)
        }

        /// Appends the event of a change, unless it is a removal.
        mutating func append(_ change: Change) {
            guard let content = change.content else { return }
            bytes += content.representation
            cells.append(change.key.cell)
            values.append(content.values)
            let entry = Entry(id: change.key.id, point: content.point, end: bytes.count)
            entries.append(entry)
            mapPoints.append(MapPoint(id: entry.id, entry.point, &nearby))
        }

        /// Appends successive events of a leaf.
        mutating func append(_ indices: Range<Int>, of leaf: PlaceLeaf) {
            guard !indices.isEmpty else { return }
            let range = leaf.byteRange(of: indices)
            cells += leaf.cells[indices]
            values += leaf.values[indices]
            mapPoints.append(leaf.mapPoints, indices)
            append(leaf.entries[indices], movedBy: bytes.count - range.lowerBound)
            bytes += leaf.bytes[range]
        }

        private mutating func append(_ others: ArraySlice<Entry>, movedBy distance: Int) {
            let start = entries.count
            entries += others
            if distance == 0 { return }
            var span = entries.mutableSpan
            for index in start..<span.count { span[index].end += distance }
        }

        /// Returns the events as leaves, of which the first one begins at a key or before it.
        consuming func leaves(from key: PlaceKey?) -> [PlaceLeaf] {
            guard let cell = cells.first, let id = entries.first?.id else { return [] }
            let first = PlaceKey(cell: cell, id: id)
            let start = min(key ?? first, first)
            let whole = PlaceLeaf(firstKey: start, self)
            guard whole.count > PlaceLeaf.maximumEntries else { return [whole] }
            let keys = zip(whole.cells, whole.entries).map { PlaceKey(cell: $0, id: $1.id) }
            let parts = keys.divided(maximumCount: PlaceLeaf.maximumEntries, separation)
            return parts.map { part in
                let range = whole.byteRange(of: part.indices)
                var draft = Draft(count: part.count, byteCount: range.count)
                draft.append(part.indices, of: whole)
                let index = part.startIndex
                let firstKey = index > 0 ? keys[index].lowest(after: keys[index - 1]) : start
                return PlaceLeaf(firstKey: firstKey, draft)
            }
        }
    }
}

extension PlaceKey {
    /// Returns the lowest key in the largest cell that contains this key but not the one before.
    ///
    /// If both are in the same leaf cell, it is this key.
    fileprivate func lowest(after key: PlaceKey) -> PlaceKey {
        let difference = PlaceLeaf.separation(of: key, self)
        guard difference > 0 else { return self }
        let bits = Int64(UInt64.bitWidth - 1 - difference.leadingZeroBitCount)
        return .first(in: CellKey(rawValue: (cell.rawValue >> bits) << bits))
    }
}
