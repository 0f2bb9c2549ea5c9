import System

/// The counters of reports by users.
package final class ReportMetrics: Sendable {
    private let reasons: LabelledTotals
    private let skipped = Mutex<UInt64>(0)

    /// Creates counters for reports with these reasons.
    package init(reasons: [String]) {
        self.reasons = LabelledTotals(
            "humon_reports_total",
            "Reports by users, by reason.",
            "reason",
            reasons
        )
    }

    /// Counts a report.
    package func note(_ reason: String) { reasons.note(reason) }

    /// Counts a report that was left out because there were too many.
    package func noteSkipped() { skipped.withLock { $0 &+= 1 } }

    /// Appends the totals since the start.
    package func append(to text: inout MetricsText) {
        reasons.append(to: &text)
        text.counter(
            "humon_reports_skipped_total",
            "Blocks without a report, because there were too many reports.",
            skipped.withLock { $0 }
        )
    }
}
