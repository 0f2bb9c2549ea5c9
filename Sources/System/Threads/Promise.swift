/// A value that another thread makes for a thread that waits for it.
package final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = Semaphore()

    package init() {}

    /// Makes the value known, once.
    package func fulfill(_ value: Value) {
        self.value.withLock { $0 = value }
        arrival.signal()
    }

    /// The value, if it is known.
    package var current: Value? { value.withLock { $0 } }

    /// Returns the value, and blocks until it is known.
    package func wait() -> Value {
        while true {
            if let current { return current }
            arrival.wait(atMostMilliseconds: nil)
        }
    }
}
