/// A value that one thread computes and all threads reuse.
package final class Remembered<Value: Sendable>: Sendable {
    private let known = Mutex<Value?>(nil)

    package init() {}

    /// The value, or nil before the first call of `remember`.
    package var value: Value? { known.withLock { $0 } }

    /// Stores the value for all threads.
    package func remember(_ value: Value) {
        known.withLock { $0 = value }
    }
}
