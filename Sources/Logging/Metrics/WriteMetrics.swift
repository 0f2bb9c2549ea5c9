import System

/// The number of writes with an idempotency key by result.
package final class WriteMetrics: Sendable {
    /// The result of such a write.
    package enum Result: String, CaseIterable, Sendable {
        /// The write was performed, and its response was stored.
        case stored
        /// An earlier response was returned.
        case replayed
        /// The key belonged to another request.
        case conflict
    }

    private let counts = Mutex<[Result: UInt64]>([:])

    package init() {}

    /// Counts a write.
    package func note(_ result: Result) {
        counts.withLock { $0[result, default: 0] &+= 1 }
    }

    /// Appends the totals since the start.
    package func append(to text: inout MetricsText) {
        text.begin("humon_idempotency_total", .counter, "Writes with an idempotency key.")
        let counts = counts.withLock { $0 }
        for result in Result.allCases {
            text.sample([("result", result.rawValue)], counts[result] ?? 0)
        }
    }
}
