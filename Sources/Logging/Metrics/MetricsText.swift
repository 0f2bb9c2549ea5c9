/// The name of a readiness check, such as `database`, and the problem that the operator should fix;
/// nil if the check passed.
package typealias ReadinessCheck = (name: String, problem: String?)

/// Metrics in the Prometheus text format 0.0.4.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/>.
package struct MetricsText {
    /// The type of a metric.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The text so far, in UTF-8.
    package private(set) var bytes: [UInt8] = []
    private var name = ""

    package init() {}

    /// Starts a metric; `help` must be one line.
    package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Appends a sample of the latest metric; labels must not need escapes.
    package mutating func sample(
        suffix: String = "",
        _ labels: [(String, String)] = [],
        _ value: some LosslessStringConvertible
    ) {
        let list = labels.map { label, value in "\(label)=\"\(value)\"" }
        let braces = list.isEmpty ? "" : "{\(list.joined(separator: ","))}"
        append("\(name)\(suffix)\(braces) \(value)\n")
    }

    /// Appends a counter with one sample.
    package mutating func counter(
        _ name: String,
        _ help: String,
        _ value: some LosslessStringConvertible
    ) {
        begin(name, .counter, help)
        sample([], value)
    }

    /// Appends a gauge with one sample.
    package mutating func gauge(
        _ name: String,
        _ help: String,
        _ value: some LosslessStringConvertible
    ) {
        begin(name, .gauge, help)
        sample([], value)
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
