import System

/// Counts of a server's connections and their failures since the start.
package struct ConnectionTotals: Equatable, Sendable {
    /// The connections that are open.
    package var open = 0
    /// The connections that were opened.
    package var opened: UInt64 = 0
    /// The attempts to connect that have failed.
    package var failures: UInt64 = 0
}

/// Counts the connections of a server.
final class ConnectionCounter: Sendable {
    private let state = Mutex(ConnectionTotals())

    /// The totals since the start.
    var totals: ConnectionTotals { state.withLock { $0 } }

    /// Counts a failed attempt.
    func noteFailure() { state.withLock { $0.failures += 1 } }

    /// Counts a connection as open, until `noteClosing`.
    func noteOpening() {
        state.withLock { totals in
            totals.opened += 1
            totals.open += 1
        }
    }

    func noteClosing() { state.withLock { $0.open -= 1 } }
}
