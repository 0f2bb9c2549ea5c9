import Cells

/// The order of places: by the keys of their cells, then by id.
struct PlaceKey: BitwiseCopyable, Comparable, Sendable {
    let cell: CellKey
    let id: Int64

    static func < (one: PlaceKey, other: PlaceKey) -> Bool {
        one.cell == other.cell ? one.id < other.id : one.cell < other.cell
    }
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
        leaves(of: changes.compactMap { change in change.content.map { Piece(change.key, $0) } })
    }

    func applying(_ changes: ArraySlice<Change>) -> [PlaceLeaf] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(entries.count + changes.count)
        var rest = changes
        for index in entries.indices {
            let key = entries[index].key
            while let change = rest.first, change.key <= key {
                rest.removeFirst()
                if let content = change.content { pieces.append(Piece(change.key, content)) }
            }
            // A change of this event replaces it.
            if rest.startIndex > changes.startIndex, changes[rest.startIndex - 1].key == key {
                continue
            }
            pieces.append(
                Piece(key: key, point: entries[index].point, bytes: representation(at: index))
            )
        }
        for change in rest {
            if let content = change.content { pieces.append(Piece(change.key, content)) }
        }
        return Self.leaves(of: pieces)
    }

    /// Returns the representation of the event at this index of the leaf.
    func representation(at index: Int) -> ArraySlice<UInt8> {
        bytes[(index > 0 ? entries[index - 1].end : 0)..<entries[index].end]
    }

    /// Returns the index of the first entry from this key on; O(log n).
    func index(from key: PlaceKey) -> Int {
        entries.partitionIndex { $0.key < key }
    }

    private struct Piece {
        let key: PlaceKey
        let point: UnitVector
        let bytes: ArraySlice<UInt8>

        init(key: PlaceKey, point: UnitVector, bytes: ArraySlice<UInt8>) {
            self.key = key
            self.point = point
            self.bytes = bytes
        }

        init(_ key: PlaceKey, _ content: Change.Content) {
            self.init(key: key, point: content.point, bytes: content.representation[...])
        }
    }

    private static func leaves(of pieces: [Piece]) -> [PlaceLeaf] {
        pieces.dividedEvenly(maximumCount: maximumEntries).compactMap { part in
            guard let first = part.first else { return nil }
            var entries: [Entry] = []
            entries.reserveCapacity(part.count)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(part.reduce(0) { $0 + $1.bytes.count })
            for piece in part {
                bytes += piece.bytes
                entries.append(Entry(key: piece.key, point: piece.point, end: bytes.count))
            }
            return PlaceLeaf(firstKey: first.key, entries: entries, bytes: bytes)
        }
    }
}
