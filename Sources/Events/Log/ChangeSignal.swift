import System

/// A signal that the log may have new changes.
package final class ChangeSignal: Sendable {
    // In a struct: a generic type such as Mutex would wrap a function again at each access, and
    // each call would take longer than the one before.
    private struct State {
        var receiver: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the function that is called, on any thread, whenever there may be changes.
    ///
    /// It must return at once.
    package func setReceiver(_ receiver: @escaping @Sendable () -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    /// Calls the receiver.
    package func send() { state.withLock { $0.receiver }?() }
}
