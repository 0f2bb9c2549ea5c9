import Synchronization

/// How many connections are open in all loops together, and the limit on it.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// The connections that are open now.
    var value: Int { count.load(ordering: .relaxed) }

    /// Counts one more connection; false if the limit is reached.
    func increment() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= limit { return true }
        decrement()
        return false
    }

    func decrement() {
        count.subtract(1, ordering: .relaxed)
    }
}
