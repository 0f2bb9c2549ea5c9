import System

/// The number of sign-ins by issuer and result.
package final class SignInMetrics: Sendable {
    private let counts = Mutex<[String: [String: UInt64]]>([:])

    package init() {}

    /// Counts a sign-in; the issuer is a configured one or `unknown`.
    package func note(_ issuer: String, _ result: String) {
        counts.withLock { $0[issuer, default: [:]][result, default: 0] &+= 1 }
    }

    /// Appends the totals since the start.
    package func append(to text: inout MetricsText) {
        text.begin("humon_sign_ins_total", .counter, "Sign-ins with an ID token, by result.")
        for (issuer, results) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            for (result, count) in results.sorted(by: { $0.key < $1.key }) {
                text.sample([("issuer", issuer), ("result", result)], count)
            }
        }
    }
}
