/// Values by their ids, as many as fit.
///
/// When it is full, what comes is not kept, because of a load that asks for ever other things
/// nothing would be found again; but after many times its capacity it begins anew, so that it
/// follows what is popular.
struct KeptByID<Value> {
    /// Refused values for each that fits, until it begins anew.
    private static var patience: Int { 8 }

    private let capacity: Int
    private var values: [Int64: Value] = [:]
    private var refusals = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

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

    mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        refusals = 0
    }
}
