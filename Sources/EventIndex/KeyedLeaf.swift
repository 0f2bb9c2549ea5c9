/// A leaf of keys, such as ids, with a value for each.
struct KeyedLeaf<Key, Value>: SortedLeaf
where
    Key: Comparable & BitwiseCopyable & Sendable, Value: BitwiseCopyable & Sendable
{
    /// A new event, an event whose value has changed, or its removal.
    struct Change {
        let key: Key
        /// Nil for a removal.
        let value: Value?
    }

    /// No search needs a summary.
    struct Summary: BitwiseCopyable {}

    let firstKey: Key
    let keys: [Key]
    /// The value of each key.
    ///
    /// They have an array of their own, so that a search that compares values doesn't load keys.
    let values: [Value]

    /// The maximum number of events, one for each bit of a word.
    static var maximumCount: Int { UInt64.bitWidth }
    /// The memory of a leaf besides its elements: two arrays and its place in the branch.
    private static var headBytes: Int { 104 }
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

    var summary: Summary { Summary() }

    static func key(of change: Change) -> Key { change.key }

    static func separation(of key: Key, _ next: Key) -> UInt64 { 0 }

    static func summary(of summaries: [Summary]) -> Summary { Summary() }

    static func summary(_ whole: Summary, replacing old: Summary, by new: Summary) -> Summary? {
        whole
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
