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

    /// Adds a request that nothing wakes yet, and returns its number; nil if as many as the limit
    /// are waiting.
    package func add(limit: Int) -> UInt64? {
        state.withLock { state in
            guard state.waiters.count < limit else { return nil }
            state.nextID &+= 1
            state.waiters[state.nextID] = {}
            return state.nextID
        }
    }

    /// Lets a request be woken.
    ///
    /// `wake` is called on any thread whenever there may be changes, and must return at once.
    package func setWake(of id: UInt64, _ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiters[id] = wake }
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
