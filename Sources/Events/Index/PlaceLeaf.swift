/// The order of places: by the keys of their cells, then by id.
struct PlaceKey: BitwiseCopyable, Comparable, Sendable {
    let cell: CellKey
    let id: Int64

    static func < (one: PlaceKey, other: PlaceKey) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: cell.rawValue, id) }

    /// The smallest key in a cell, also of events that don't exist.
    static func first(in cell: CellKey) -> PlaceKey { PlaceKey(cell: cell, id: .min) }
}

/// Some events that are next to each other on the curve, with their contents if these are kept.
///
/// All values of a kind are in one array, so that thousands of events take a few allocations, and a
/// search loads only what it compares. It is a class, because a change copies a list of leaves,
/// which counts a reference of each.
final class PlaceLeaf: SortedLeaf {
    /// A new event, a new version of an event, or its removal.
    struct Change {
        let key: PlaceKey
        /// Nil for a removal.
        let content: EventChange.Content?
        /// The numbers of its terms.
        var terms = TermNumbers()
    }

    // The count and the arrays come first: with the reference count, they are in the line of the
    // processor's cache that every search loads.
    /// The number of events.
    let count: Int
    /// The cell of each event.
    let cells: [CellKey]
    /// The values of each event that filters compare.
    let values: [FilterValues]
    let ids: [Int64]
    let points: [UnitVector]
    let coordinates: [Coordinate]
    /// The status of each event; empty if all are scheduled, as most leaves are.
    private let statuses: [EventStatuses]
    /// The tags, the category and the series of each event as `TermNumbers` has them; empty if no
    /// event has any.
    private let labels: PackedBytes
    /// The words of each event in the same form.
    private let words: PackedBytes
    /// The content of each event; empty if no contents are kept.
    private let contents: PackedBytes
    let summary: PlaceSummary
    /// The labels that its events may have.
    let signature: TermSignature
    let firstKey: PlaceKey

    /// The maximum number of events: a search has a bit for each in a word.
    static let maximumEntries = UInt64.bitWidth
    /// The memory of a leaf besides its elements: an object, eleven arrays, its place in a branch,
    /// and its summary in both.
    private static let headBytes =
        544 + MemoryLayout<TermSignature>.stride + 2 * MemoryLayout<PlaceSummary>.stride
    /// The memory of an event without its content.
    private static let entryBytes =
        MemoryLayout<CellKey>.stride + MemoryLayout<FilterValues>.stride
        + MemoryLayout<Int64>.stride + MemoryLayout<UnitVector>.stride
        + MemoryLayout<Coordinate>.stride

    private init(firstKey: PlaceKey, _ draft: Draft) {
        self.firstKey = firstKey
        count = draft.cells.count
        cells = draft.cells
        values = draft.values
        ids = draft.ids
        points = draft.points
        coordinates = draft.coordinates
        statuses = draft.statuses.allSatisfy { $0 == .scheduled } ? [] : draft.statuses
        labels = draft.labels.bytes.isEmpty ? PackedBytes() : draft.labels
        words = draft.words.bytes.isEmpty ? PackedBytes() : draft.words
        contents = draft.contents
        summary = PlaceSummary(draft.points, draft.values)
        signature = TermSignature(draft.labels)
    }

    var byteCount: Int {
        Self.headBytes + count * Self.entryBytes + statuses.count + labels.byteCount
            + words.byteCount + contentBytes
    }

    var contentBytes: Int { contents.byteCount }

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
            byteCount: contents.bytes.count + Self.byteCount(of: changes)
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

    /// Returns the status of the event at this index.
    @inline(__always)
    func status(at index: Int) -> EventStatuses {
        statuses.isEmpty ? .scheduled : statuses[index]
    }

    /// Returns a bit for each event: whether its status is in a set.
    @inline(__always)
    func events(with wanted: EventStatuses) -> UInt64 {
        if statuses.isEmpty { return wanted.contains(.scheduled) ? UInt64(bits: cells.indices) : 0 }
        var matching: UInt64 = 0
        for index in statuses.indices where wanted.contains(statuses[index]) {
            matching |= 1 << UInt64(truncatingIfNeeded: index)
        }
        return matching
    }

    /// Returns the content of the event at this index of the leaf, or nil if none is kept.
    func content(at index: Int) -> ArraySlice<UInt8>? {
        guard index < contents.count else { return nil }
        return contents.bytes[contents.range(of: index..<index + 1)]
    }

    /// Returns whether the event at this index meets the conditions on terms.
    @inline(__always)
    func matches(_ matcher: TermMatcher, at index: Int) -> Bool {
        matcher.matches(labels, words, at: index)
    }

    /// Returns the terms of the event at this index.
    func terms(at index: Int) -> TermNumbers {
        TermNumbers(labels: labels.bytes(at: index), words: words.bytes(at: index))
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
        while index < cells.count, cells[index] == key.cell, ids[index] < key.id { index += 1 }
        return index
    }

    private func contains(_ key: PlaceKey, at index: Int) -> Bool {
        index < cells.count && cells[index] == key.cell && ids[index] == key.id
    }

    private static func byteCount(of changes: ArraySlice<Change>) -> Int {
        changes.reduce(0) { $0 + ($1.content?.json?.count ?? 0) }
    }

    /// Events in their order, which become one leaf or several.
    private struct Draft {
        private(set) var cells: [CellKey] = []
        private(set) var values: [FilterValues] = []
        private(set) var ids: [Int64] = []
        private(set) var points: [UnitVector] = []
        private(set) var coordinates: [Coordinate] = []
        private(set) var statuses: [EventStatuses] = []
        private(set) var labels = PackedBytes()
        private(set) var words = PackedBytes()
        private(set) var contents = PackedBytes()

        /// Begins a draft of at most this size.
        init(count: Int, byteCount: Int) {
            cells.reserveCapacity(count)
            values.reserveCapacity(count)
            ids.reserveCapacity(count)
            points.reserveCapacity(count)
            coordinates.reserveCapacity(count)
            statuses.reserveCapacity(count)
            if byteCount > 0 { contents.reserveCapacity(count, byteCount: byteCount) }
        }

        /// Appends the event of a change, unless it is a removal.
        mutating func append(_ change: Change) {
            guard let content = change.content else { return }
            cells.append(change.key.cell)
            values.append(content.values)
            ids.append(change.key.id)
            points.append(content.point)
            coordinates.append(content.coordinate)
            statuses.append(content.status)
            labels.append(change.terms.labels)
            words.append(change.terms.words)
            if let json = content.json { contents.append(json) }
        }

        /// Appends successive events of a leaf.
        mutating func append(_ indices: Range<Int>, of leaf: PlaceLeaf) {
            guard !indices.isEmpty else { return }
            cells += leaf.cells[indices]
            values += leaf.values[indices]
            ids += leaf.ids[indices]
            points += leaf.points[indices]
            coordinates += leaf.coordinates[indices]
            statuses += indices.map(leaf.status)
            labels.append(indices, ofTerms: leaf.labels)
            words.append(indices, ofTerms: leaf.words)
            if leaf.contents.count > 0 { contents.append(indices, of: leaf.contents) }
        }

        /// Returns the events as leaves, of which the first one begins at a key or before it.
        consuming func leaves(from key: PlaceKey?) -> [PlaceLeaf] {
            guard let cell = cells.first, let id = ids.first else { return [] }
            let first = PlaceKey(cell: cell, id: id)
            let start = min(key ?? first, first)
            let whole = PlaceLeaf(firstKey: start, self)
            guard whole.count > PlaceLeaf.maximumEntries else { return [whole] }
            let keys = zip(whole.cells, whole.ids).map { PlaceKey(cell: $0, id: $1) }
            let parts = keys.divided(maximumCount: PlaceLeaf.maximumEntries, separation)
            return parts.map { part in
                let byteCount = whole.contents.range(of: part.indices).count
                var draft = Draft(count: part.count, byteCount: byteCount)
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
