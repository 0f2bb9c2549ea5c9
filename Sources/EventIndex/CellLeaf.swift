import Cells

/// Where some events are, sorted by their ids, or by their owners and ids.
struct CellLeaf<Key: Comparable & BitwiseCopyable & Sendable>: SortedLeaf {
    struct Entry: BitwiseCopyable {
        let key: Key
        let cell: CellKey
    }

    /// A new event, an event that has moved, or its removal.
    struct Change {
        let key: Key
        /// Nil for a removal.
        let cell: CellKey?
    }

    /// No search needs a summary.
    struct Summary: BitwiseCopyable {}

    let firstKey: Key
    let entries: [Entry]

    var byteCount: Int { Self.headBytes + entries.count * MemoryLayout<Entry>.stride }

    /// The number of events from which a leaf is split.
    private static var maximumEntries: Int { 64 }
    /// The memory of a leaf besides its elements: an array and its place in the branch.
    private static var headBytes: Int { 64 }

    var summary: Summary { Summary() }

    static func key(of change: Change) -> Key { change.key }

    static func separation(of key: Key, _ next: Key) -> UInt64 { 0 }

    static func summary(of summaries: [Summary]) -> Summary { Summary() }

    static func leaves(of changes: ArraySlice<Change>) -> [CellLeaf] {
        leaves(of: changes.compactMap(\.entry))
    }

    func applying(_ changes: ArraySlice<Change>) -> [CellLeaf] {
        var merged: [Entry] = []
        merged.reserveCapacity(entries.count + changes.count)
        var next = 0
        for change in changes {
            let index = entries.partitionIndex { $0.key < change.key }
            merged += entries[next..<index]
            if let new = change.entry { merged.append(new) }
            let isReplaced = index < entries.count && entries[index].key == change.key
            next = isReplaced ? index + 1 : index
        }
        merged += entries[next...]
        return Self.leaves(of: merged)
    }

    /// Returns the cell of an event, or nil if it is not in this leaf; O(log n).
    func cell(of key: Key) -> CellKey? {
        let index = entries.partitionIndex { $0.key < key }
        return index < entries.count && entries[index].key == key ? entries[index].cell : nil
    }

    private static func leaves(of entries: [Entry]) -> [CellLeaf] {
        guard let first = entries.first else { return [] }
        guard entries.count > maximumEntries else {
            return [CellLeaf(firstKey: first.key, entries: entries)]
        }
        return entries.divided(maximumCount: maximumEntries) { _, _ in 0 }.compactMap { part in
            part.first.map { CellLeaf(firstKey: $0.key, entries: Array(part)) }
        }
    }
}

extension CellLeaf.Change {
    fileprivate var entry: CellLeaf.Entry? {
        cell.map { CellLeaf.Entry(key: key, cell: $0) }
    }
}

/// The order of events by owner, then by id.
struct OwnedKey: BitwiseCopyable, Comparable, Sendable {
    let ownerID: Int64
    let id: Int64

    static func < (one: OwnedKey, other: OwnedKey) -> Bool {
        one.ownerID == other.ownerID ? one.id < other.id : one.ownerID < other.ownerID
    }
}
