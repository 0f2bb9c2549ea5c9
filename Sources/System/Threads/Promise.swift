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

    /// Returns the value, and blocks until it is known.
    package func wait() -> Value {
        while true {
            if let value = value.withLock({ $0 }) { return value }
            arrival.wait(atMostMilliseconds: nil)
        }
    }
}
