import System

/// Totals of a metric by the value of a label.
package final class LabelledTotals: Sendable {
    private let name: String
    private let help: String
    private let label: String
    private let values: [String]
    private let counts = Mutex<[String: UInt64]>([:])

    /// Creates totals for these values of the label.
    package init(
        _ name: String,
        _ help: String,
        _ label: String,
        _ values: [String]
    ) {
        (self.name, self.help, self.label, self.values) = (name, help, label, values)
    }

    /// Counts something.
    package func note(_ value: String) { counts.withLock { $0[value, default: 0] &+= 1 } }

    /// Appends the totals since the start.
    package func append(to text: inout MetricsText) {
        let totals = counts.withLock { $0 }
        text.begin(name, .counter, help)
        for value in values { text.sample([(label, value)], totals[value] ?? 0) }
    }
}
