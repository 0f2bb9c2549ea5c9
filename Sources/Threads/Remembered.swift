/// A value that all threads share once one of them has found it out.
package final class Remembered<Value: Sendable>: Sendable {
    private let known = Mutex<Value?>(nil)

    package init() {}

    /// The value; nil until it is known.
    package var value: Value? { known.withLock { $0 } }

    /// Remembers the value for all later calls.
    package func remember(_ value: Value) {
        known.withLock { $0 = value }
    }
}
