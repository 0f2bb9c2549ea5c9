import Threads

/// Values by their ids, as many as fit.
///
/// When it is full, what comes is not kept, because of a load that asks for ever other things
/// nothing would be found again; but after many times its capacity it begins anew, so that it
/// follows what is popular.
struct KeptByID<Value: Sendable> {
    /// Refused values for each that fits, until it begins anew.
    private static var patience: Int { 64 }
    /// What a place in the table takes, in bytes, next to the value's own.
    private static var placeBytes: Int { 64 }
    private static var valuesFreedAtOnce: Int { 1000 }

    private let capacity: Int
    private var values: [Int64: Value] = [:]
    /// The bytes that the values take.
    private var used = 0
    private var refusals = 0

    /// Room for so many bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(id: Int64) -> Value? {
        values[id]
    }

    /// Keeps a value, which takes so many bytes, if there is room.
    mutating func insert(_ value: Value, id: Int64, bytes: Int) {
        let bytes = bytes + Self.placeBytes
        if used + bytes > capacity {
            refusals += 1
            guard refusals / Self.patience > values.count else { return }
            removeAll()
            guard bytes <= capacity else { return }
        }
        // What is there already is not weighed again.
        if values.updateValue(value, forKey: id) == nil { used += bytes }
    }

    /// Forgets everything; O(1) unless little was kept.
    mutating func removeAll() {
        refusals = 0
        used = 0
        guard values.count > Self.valuesFreedAtOnce else {
            return values.removeAll(keepingCapacity: true)
        }
        // To free some hundred thousand values takes longer than a client should wait.
        let old = values
        values = [:]
        let thread = try? Thread { withExtendedLifetime(old) {} }
        thread?.detach()
    }
}
