/// A value that is made when it is first needed; other threads that need it wait meanwhile.
package final class LazyValue<Value: Sendable>: Sendable {
    private let known = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    /// Creates a value that `make` returns later.
    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
    }

    /// The value, the same one each time.
    package var value: Value {
        known.withLock { known in
            if let known { return known }
            let value = make()
            known = value
            return value
        }
    }
}
