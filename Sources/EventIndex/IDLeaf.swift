import Cells

/// Where some events are, sorted by id.
struct IDLeaf: SortedLeaf {
    struct Entry: BitwiseCopyable {
        let id: Int64
        let cell: CellKey
    }

    /// A new event, an event that has moved, or its removal.
    struct Change {
        let id: Int64
        /// Nil for a removal.
        let cell: CellKey?
    }

    /// No search needs a summary.
    struct Summary: BitwiseCopyable {}

    let firstKey: Int64
    let entries: [Entry]

    var byteCount: Int { Self.headBytes + entries.count * MemoryLayout<Entry>.stride }

    /// The number of events from which a leaf is split.
    private static let maximumEntries = 256
    /// The memory of a leaf besides its elements: an array and its place in the branch.
    private static let headBytes = 64

    var summary: Summary { Summary() }

    static func key(of change: Change) -> Int64 { change.id }

    static func separation(of key: Int64, _ next: Int64) -> UInt64 { 0 }

    static func summary(of summaries: [Summary]) -> Summary { Summary() }

    static func leaves(of changes: ArraySlice<Change>) -> [IDLeaf] {
        leaves(of: changes.compactMap(\.entry))
    }

    func applying(_ changes: ArraySlice<Change>) -> [IDLeaf] {
        var merged: [Entry] = []
        merged.reserveCapacity(entries.count + changes.count)
        var rest = changes
        for entry in entries {
            var isReplaced = false
            while let change = rest.first, change.id <= entry.id {
                rest.removeFirst()
                if let new = change.entry { merged.append(new) }
                isReplaced = change.id == entry.id
            }
            if !isReplaced { merged.append(entry) }
        }
        merged += rest.compactMap(\.entry)
        return Self.leaves(of: merged)
    }

    /// Returns the cell of an event, or nil if it is not in this leaf; O(log n).
    func cell(of id: Int64) -> CellKey? {
        let index = entries.partitionIndex { $0.id < id }
        return index < entries.count && entries[index].id == id ? entries[index].cell : nil
    }

    private static func leaves(of entries: [Entry]) -> [IDLeaf] {
        entries.divided(maximumCount: maximumEntries) { _, _ in 0 }.compactMap { part in
            part.first.map { IDLeaf(firstKey: $0.id, entries: Array(part)) }
        }
    }
}

extension IDLeaf.Change {
    fileprivate var entry: IDLeaf.Entry? {
        cell.map { IDLeaf.Entry(id: id, cell: $0) }
    }
}
