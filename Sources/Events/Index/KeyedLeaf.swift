/// A value of a key in a `KeyedLeaf`.
protocol KeyedValue: Sendable {
    /// The end of the event in ms since 1970; the greatest number if no search compares it.
    var lastEnd: Int64 { get }
}

/// A leaf of keys, such as ids, with a value for each.
struct KeyedLeaf<Key, Value: KeyedValue>: SortedLeaf
where Key: Comparable & Sendable {
    /// A new event, an event whose value has changed, or its removal.
    struct Change {
        let key: Key
        /// Nil for a removal.
        let value: Value?
    }

    /// The last end of the events.
    struct Summary: BitwiseCopyable {
        let lastEnd: Int64
    }

    let firstKey: Key
    let keys: [Key]
    /// The value of each key.
    ///
    /// They have an array of their own, so that a search that compares values doesn't load keys.
    let values: [Value]

    /// The maximum number of events, one for each bit of a word.
    static var maximumCount: Int { UInt64.bitWidth }
    /// The memory of a leaf besides its elements: two arrays and its place in the branch.
    private static var headBytes: Int { 112 }
    private static var elementBytes: Int {
        MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
    }

    /// Creates a leaf; nil if it is empty.
    private init?(_ keys: [Key], _ values: [Value]) {
        guard let firstKey = keys.first else { return nil }
        self.firstKey = firstKey
        self.keys = keys
        self.values = values
    }

    var byteCount: Int { Self.headBytes + keys.count * Self.elementBytes }

    var contentBytes: Int { 0 }

    var summary: Summary { Summary(lastEnd: values.reduce(.min) { max($0, $1.lastEnd) }) }

    static func key(of change: Change) -> Key { change.key }

    static func separation(of key: Key, _ next: Key) -> UInt64 { 0 }

    static func summary(of summaries: [Summary]) -> Summary {
        Summary(lastEnd: summaries.reduce(.min) { max($0, $1.lastEnd) })
    }

    static func summary(_ whole: Summary, replacing old: Summary, by new: Summary) -> Summary? {
        if new.lastEnd >= whole.lastEnd { return new }
        return old.lastEnd < whole.lastEnd ? whole : nil
    }

    static func leaves(of changes: ArraySlice<Change>) -> [KeyedLeaf] {
        merging([], [], changes)
    }

    func applying(_ changes: ArraySlice<Change>) -> [KeyedLeaf] {
        Self.merging(keys, values, changes)
    }

    /// Returns leaves with these keys and values after changes, which are sorted by key.
    private static func merging(
        _ keys: [Key],
        _ values: [Value],
        _ changes: ArraySlice<Change>
    ) -> [KeyedLeaf] {
        var (newKeys, newValues) = ([Key](), [Value]())
        newKeys.reserveCapacity(keys.count + changes.count)
        newValues.reserveCapacity(keys.count + changes.count)
        var next = 0
        for change in changes {
            let index = keys.partitionIndex { $0 < change.key }
            newKeys += keys[next..<index]
            newValues += values[next..<index]
            if let value = change.value {
                newKeys.append(change.key)
                newValues.append(value)
            }
            let isReplaced = index < keys.count && keys[index] == change.key
            next = isReplaced ? index + 1 : index
        }
        newKeys += keys[next...]
        newValues += values[next...]
        return leaves(newKeys, newValues)
    }

    /// Returns the value of a key, or nil if it is not in this leaf; O(log n).
    func value(of key: Key) -> Value? {
        let index = keys.partitionIndex { $0 < key }
        return index < keys.count && keys[index] == key ? values[index] : nil
    }

    private static func leaves(_ keys: [Key], _ values: [Value]) -> [KeyedLeaf] {
        if keys.count <= maximumCount { return KeyedLeaf(keys, values).map { [$0] } ?? [] }
        return keys.divided(maximumCount: maximumCount) { _, _ in 0 }.compactMap { part in
            KeyedLeaf(Array(part), Array(values[part.indices]))
        }
    }
}

/// The keys of a list in a direction, from one key to another.
struct KeyRange<Key: Comparable> {
    let first: Key
    let last: Key
    /// Whether it leaves out the key that comes first in its direction.
    var isAfterFirst = false
    var isDescending = false
}

extension SortedLeaves {
    /// Calls `body` with the keys in a range, in leaves, until it returns false.
    ///
    /// `mayMatch` returns whether the events of a leaf or branch are needed. `indices` are those of
    /// the keys in the leaf, at least one.
    @inline(__always)
    func forEachLeaf<Key, Value>(
        in range: KeyRange<Key>,
        where mayMatch: (KeyedLeaf<Key, Value>.Summary) -> Bool = { _ in true },
        _ body: (_ leaf: KeyedLeaf<Key, Value>, _ indices: Range<Int>) -> Bool
    ) where Leaf == KeyedLeaf<Key, Value> {
        let isDescending = range.isDescending
        var next = position(of: isDescending ? range.last : range.first)
        while let position = next {
            let leaf = self[position]
            var lower = leaf.keys.partitionIndex { $0 < range.first }
            var upper = leaf.keys.partitionIndex { $0 <= range.last }
            // Where the range ends in the leaf, the next leaf is not in it.
            let isLast = isDescending ? lower > 0 : upper < leaf.keys.count
            if range.isAfterFirst, lower < upper {
                if !isDescending, leaf.keys[lower] == range.first { lower += 1 }
                if isDescending, leaf.keys[upper - 1] == range.last { upper -= 1 }
            }
            if lower < upper, !body(leaf, lower..<upper) { return }
            if isLast { return }
            next = self.position(next: position, isDescending: isDescending, where: mayMatch)
        }
    }
}
