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
/// All representations are in one array, so that thousands of events take a few allocations, and
/// readers on several cores count few references.
struct PlaceLeaf: SortedLeaf {
    /// An event; 56 bytes.
    struct Entry: BitwiseCopyable {
        let key: PlaceKey
        let point: UnitVector
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
            let representation: [UInt8]
        }
    }

    let firstKey: PlaceKey
    let entries: [Entry]
    let bytes: [UInt8]

    /// The number of events from which a leaf is split.
    private static let maximumEntries = 64
    /// The memory of a leaf besides its elements: two arrays and its place in the branch.
    private static let headBytes = 160

    var byteCount: Int {
        Self.headBytes + entries.count * MemoryLayout<Entry>.stride + bytes.count
    }

    static func key(of change: Change) -> PlaceKey { change.key }

    static func leaves(of changes: ArraySlice<Change>) -> [PlaceLeaf] {
        let sources = changes.indices.filter { changes[$0].content != nil }.map(Source.change)
        return leaves(of: sources, nil, changes)
    }

    func applying(_ changes: ArraySlice<Change>) -> [PlaceLeaf] {
        var sources: [Source] = []
        sources.reserveCapacity(entries.count + changes.count)
        var next = changes.startIndex
        for index in entries.indices {
            let key = entries[index].key
            var isReplaced = false
            while next < changes.endIndex, changes[next].key <= key {
                isReplaced = changes[next].key == key
                if changes[next].content != nil { sources.append(.change(next)) }
                next += 1
            }
            if !isReplaced { sources.append(.entry(index)) }
        }
        for index in next..<changes.endIndex where changes[index].content != nil {
            sources.append(.change(index))
        }
        return Self.leaves(of: sources, self, changes)
    }

    /// Returns the representation of the event at this index of the leaf.
    func representation(at index: Int) -> ArraySlice<UInt8> {
        bytes[byteRange(at: index)]
    }

    /// Returns where the representation of the event at this index is.
    func byteRange(at index: Int) -> Range<Int> {
        (index > 0 ? entries[index - 1].end : 0)..<entries[index].end
    }

    /// Returns the index of the first entry from this key on; O(log n).
    func index(from key: PlaceKey) -> Int {
        entries.partitionIndex { $0.key < key }
    }

    /// Where an event of a new leaf comes from.
    private enum Source {
        case entry(Int)
        case change(Int)
    }

    /// Returns leaves with these events of a former leaf and of changes.
    private static func leaves(
        of sources: [Source],
        _ former: PlaceLeaf?,
        _ changes: ArraySlice<Change>
    ) -> [PlaceLeaf] {
        sources.dividedEvenly(maximumCount: maximumEntries).compactMap { part in
            let byteCount = part.reduce(0) { sum, source in
                switch source {
                case .entry(let index): sum + (former?.byteRange(at: index).count ?? 0)
                case .change(let index): sum + (changes[index].content?.representation.count ?? 0)
                }
            }
            var writer = PlaceLeafWriter(former, count: part.count, byteCount: byteCount)
            for source in part {
                switch source {
                case .entry(let index): writer.append(index)
                case .change(let index):
                    guard let content = changes[index].content else { continue }
                    writer.append(changes[index].key, content)
                }
            }
            return writer.leaf()
        }
    }
}

/// Copies events into a new leaf; those that follow each other in the former leaf at once.
private struct PlaceLeafWriter {
    private let former: PlaceLeaf?
    private var entries: [PlaceLeaf.Entry] = []
    private var bytes: [UInt8] = []
    /// The bytes of the former leaf that are not copied yet.
    private var uncopied = 0..<0

    /// Begins a leaf of exactly this size.
    init(_ former: PlaceLeaf?, count: Int, byteCount: Int) {
        self.former = former
        entries.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
    }

    /// Appends an event of the former leaf.
    mutating func append(_ index: Int) {
        guard let former else { return }
        let entry = former.entries[index]
        let range = former.byteRange(at: index)
        if range.lowerBound != uncopied.upperBound {
            copyBytes()
            uncopied = range.lowerBound..<range.lowerBound
        }
        let end = bytes.count + uncopied.count + range.count
        uncopied = uncopied.lowerBound..<range.upperBound
        entries.append(PlaceLeaf.Entry(key: entry.key, point: entry.point, end: end))
    }

    /// Appends a new event.
    mutating func append(_ key: PlaceKey, _ content: PlaceLeaf.Change.Content) {
        copyBytes()
        bytes += content.representation
        entries.append(PlaceLeaf.Entry(key: key, point: content.point, end: bytes.count))
    }

    /// Returns the leaf, nil if it has no events.
    mutating func leaf() -> PlaceLeaf? {
        copyBytes()
        return entries.first.map { PlaceLeaf(firstKey: $0.key, entries: entries, bytes: bytes) }
    }

    private mutating func copyBytes() {
        guard let former, !uncopied.isEmpty else { return }
        bytes += former.bytes[uncopied]
        uncopied = uncopied.upperBound..<uncopied.upperBound
    }
}
