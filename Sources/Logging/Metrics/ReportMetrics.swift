import System

/// The counters of reports by users.
package final class ReportMetrics: Sendable {
    private let counts: Mutex<[String: UInt64]>
    private let skipped = Mutex<UInt64>(0)
    private let reasons: [String]

    /// Creates counters for reports with these reasons.
    package init(reasons: [String]) {
        self.reasons = reasons
        counts = Mutex([:])
    }

    /// Counts a report.
    package func note(_ reason: String) { counts.withLock { $0[reason, default: 0] &+= 1 } }

    /// Counts a report that was left out because there were too many.
    package func noteSkipped() { skipped.withLock { $0 &+= 1 } }

    /// Appends the totals since the start.
    package func append(to text: inout MetricsText) {
        let totals = counts.withLock { $0 }
        text.begin("humon_reports_total", .counter, "Reports by users, by reason.")
        for reason in reasons { text.sample([("reason", reason)], totals[reason] ?? 0) }
        text.counter(
            "humon_reports_skipped_total",
            "Blocks without a report, because there were too many reports.",
            skipped.withLock { $0 }
        )
    }
}
