/// Values by their ids, as many as fit.
///
/// When it is full, what comes is not kept, because of a load that asks for ever other things
/// nothing would be found again; but after many times its capacity it begins anew, so that it
/// follows what is popular.
struct KeptByID<Value: Sendable> {
    /// Refused values for each that fits, until it begins anew.
    private static var patience: Int { 64 }

    private static var valuesFreedAtOnce: Int { 1000 }

    private let capacity: Int
    private var values: [Int64: Value] = [:]
    private var refusals = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { values.count }

    subscript(id: Int64) -> Value? {
        values[id]
    }

    /// Keeps a value if there is room.
    mutating func insert(_ value: Value, id: Int64) {
        if values.count >= capacity {
            refusals += 1
            guard refusals > capacity * Self.patience else { return }
            removeAll()
        }
        values[id] = value
    }

    /// Forgets everything; O(1) unless little was kept.
    mutating func removeAll() {
        refusals = 0
        guard values.count > Self.valuesFreedAtOnce else {
            return values.removeAll(keepingCapacity: true)
        }
        // To free some hundred thousand values takes longer than a client should wait.
        let old = values
        values = [:]
        Task.detached(priority: .utility) { withExtendedLifetime(old) {} }
    }
}
