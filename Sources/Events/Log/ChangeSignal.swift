import System

/// A signal to waiting requests that the log may have new changes.
package final class ChangeSignal: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var waiters: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiting requests.
    package var count: Int { state.withLock { $0.waiters.count } }

    /// Adds a request, and returns its number.
    ///
    /// `wake` is called on any thread whenever there may be changes, and must return at once.
    package func add(wake: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.nextID &+= 1
            state.waiters[state.nextID] = wake
            return state.nextID
        }
    }

    /// Removes a request.
    package func remove(_ id: UInt64) {
        state.withLock { $0.waiters[id] = nil }
    }

    /// Wakes all waiting requests; O(n).
    package func send() {
        let waiters = state.withLock { Array($0.waiters.values) }
        for wake in waiters { wake() }
    }
}
