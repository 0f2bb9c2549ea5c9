import Cells

/// The order of places: by the keys of their cells, then by id.
struct PlaceKey: BitwiseCopyable, Comparable, Sendable {
    let cell: CellKey
    let id: Int64

    static func < (one: PlaceKey, other: PlaceKey) -> Bool {
        one.cell == other.cell ? one.id < other.id : one.cell < other.cell
    }

    /// The smallest key in a cell, also of events that don't exist.
    static func first(in cell: CellKey) -> PlaceKey { PlaceKey(cell: cell, id: .min) }

    /// The greatest key in a cell, also of events that don't exist.
    static func last(in cell: CellKey) -> PlaceKey { PlaceKey(cell: cell, id: .max) }
}

/// Some events that are next to each other on the curve, with their representations.
///
/// All representations are in one array, so that thousands of events take a few allocations. It is
/// a class, because a change copies a list of leaves, which counts a reference of each.
final class PlaceLeaf: SortedLeaf {
    /// An event; 72 bytes.
    struct Entry: BitwiseCopyable {
        let key: PlaceKey
        let point: UnitVector
        let values: FilterValues
        /// Where its representation ends; it begins where that of the event before ends.
        let end: Int
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

    let firstKey: PlaceKey
    let summary: PlaceSummary
    let entries: [Entry]
    let bytes: [UInt8]

    /// The number of events from which a leaf is split.
    private static let maximumEntries = 64
    /// The memory of a leaf besides its elements: an object, two arrays, and its place in a branch.
    private static let headBytes = 192

    private init(firstKey: PlaceKey, entries: [Entry], bytes: [UInt8]) {
        self.firstKey = firstKey
        summary = PlaceSummary(entries)
        self.entries = entries
        self.bytes = bytes
    }

    var byteCount: Int {
        Self.headBytes + entries.count * MemoryLayout<Entry>.stride + bytes.count
    }

    static func key(of change: Change) -> PlaceKey { change.key }

    static func summary(of summaries: [PlaceSummary]) -> PlaceSummary { PlaceSummary(summaries) }

    static func leaves(of changes: ArraySlice<Change>) -> [PlaceLeaf] {
        let additions = changes.filter { $0.content != nil }
        return additions.dividedEvenly(maximumCount: maximumEntries).flatMap { part in
            var draft = Draft(count: part.count, byteCount: byteCount(of: part))
            for addition in part { draft.append(addition) }
            return draft.leaves()
        }
    }

    func applying(_ changes: ArraySlice<Change>) -> [PlaceLeaf] {
        var draft = Draft(
            count: entries.count + changes.count,
            byteCount: bytes.count + Self.byteCount(of: changes)
        )
        var next = 0
        for change in changes {
            let index = index(from: change.key)
            draft.append(next..<index, of: self)
            draft.append(change)
            let isReplaced = index < entries.count && entries[index].key == change.key
            next = isReplaced ? index + 1 : index
        }
        draft.append(next..<entries.count, of: self)
        return draft.leaves()
    }

    /// Returns the representation of the event at this index of the leaf.
    func representation(at index: Int) -> ArraySlice<UInt8> {
        bytes[byteRange(of: index..<index + 1)]
    }

    /// Returns the index of the first entry from this key on; O(log n).
    func index(from key: PlaceKey) -> Int {
        entries.partitionIndex { $0.key < key }
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
        private var entries: [Entry] = []
        private var bytes: [UInt8] = []

        /// Begins a draft of at most this size.
        init(count: Int, byteCount: Int) {
            entries.reserveCapacity(count)
            bytes.reserveCapacity(byteCount)
        }

        /// Appends the event of a change, unless it is a removal.
        mutating func append(_ change: Change) {
            guard let content = change.content else { return }
            bytes += content.representation
            entries.append(
                Entry(
                    key: change.key,
                    point: content.point,
                    values: content.values,
                    end: bytes.count
                )
            )
        }

        /// Appends successive events of a leaf.
        mutating func append(_ indices: Range<Int>, of leaf: PlaceLeaf) {
            guard !indices.isEmpty else { return }
            let range = leaf.byteRange(of: indices)
            append(leaf.entries[indices], movedBy: bytes.count - range.lowerBound)
            bytes += leaf.bytes[range]
        }

        private mutating func append(_ others: ArraySlice<Entry>, movedBy distance: Int) {
            for entry in others {
                entries.append(
                    Entry(
                        key: entry.key,
                        point: entry.point,
                        values: entry.values,
                        end: entry.end + distance
                    )
                )
            }
        }

        /// Returns the events as leaves of similar size, none if there are no events.
        consuming func leaves() -> [PlaceLeaf] {
            guard let first = entries.first else { return [] }
            if entries.count <= PlaceLeaf.maximumEntries {
                return [PlaceLeaf(firstKey: first.key, entries: entries, bytes: bytes)]
            }
            let whole = PlaceLeaf(firstKey: first.key, entries: entries, bytes: bytes)
            let parts = entries.dividedEvenly(maximumCount: PlaceLeaf.maximumEntries)
            return parts.flatMap { part in
                let range = whole.byteRange(of: part.indices)
                var draft = Draft(count: part.count, byteCount: range.count)
                draft.append(part.indices, of: whole)
                return draft.leaves()
            }
        }
    }
}
