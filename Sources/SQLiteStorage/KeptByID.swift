import System

/// A cache of values by their ids, limited in memory.
///
/// When it is full, new values are rejected, so that a scan can't evict the working set. After many
/// times its capacity in rejections it is emptied, so that it follows what is popular.
struct KeptByID<Value: Sendable> {
    /// Rejected values for each stored one, until the cache is emptied.
    private static var patience: Int { 64 }
    /// The memory for an entry of the table besides its value, in bytes.
    private static var placeBytes: Int { 64 }
    private static var valuesFreedAtOnce: Int { 1000 }

    private let capacity: Int
    private var values: [Int64: Value] = [:]
    /// The memory for all entries, in bytes.
    private var used = 0
    private var refusals = 0

    /// Creates a cache with room for `capacity` bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(id: Int64) -> Value? {
        values[id]
    }

    /// Stores a value of this size in bytes, if there is room.
    mutating func insert(_ value: Value, id: Int64, bytes: Int) {
        let bytes = bytes + Self.placeBytes
        if used + bytes > capacity {
            refusals += 1
            guard refusals / Self.patience > values.count else { return }
            removeAll()
            guard bytes <= capacity else { return }
        }
        // The size of a value that is already stored doesn't change.
        if values.updateValue(value, forKey: id) == nil { used += bytes }
    }

    /// Removes all values; O(1) unless there are few.
    mutating func removeAll() {
        refusals = 0
        used = 0
        guard values.count > Self.valuesFreedAtOnce else {
            return values.removeAll(keepingCapacity: true)
        }
        // Freeing some hundred thousand values takes longer than a client should wait.
        let old = values
        values = [:]
        let thread = try? POSIXThread { withExtendedLifetime(old) {} }
        thread?.detach()
    }
}
