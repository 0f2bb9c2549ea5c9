import System

/// A signal to waiting requests that the log may have new changes.
package final class ChangeSignal: Sendable {
    private struct State {
        var count = 0
        var nextID: UInt64 = 0
        var waiters: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of requests that have a place.
    package var count: Int { state.withLock { $0.count } }

    /// Takes a place for a request, and returns whether fewer than the limit had one.
    package func takePlace(limit: Int) -> Bool {
        state.withLock { state in
            guard state.count < limit else { return false }
            state.count += 1
            return true
        }
    }

    /// Returns the place of a request.
    package func returnPlace() { state.withLock { $0.count -= 1 } }

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
