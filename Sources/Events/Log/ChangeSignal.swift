import System

/// A signal that the log may have new changes.
package final class ChangeSignal: Sendable {
    private let receiver = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Sets the function that is called, on any thread, whenever there may be changes.
    ///
    /// It must return at once.
    package func setReceiver(_ receiver: @escaping @Sendable () -> Void) {
        self.receiver.withLock { $0 = receiver }
    }

    /// Calls the receiver.
    package func send() { receiver.withLock { $0 }?() }
}
