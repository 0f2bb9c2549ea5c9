import System

/// The counters of responses and their durations, by route and status.
package final class RequestMetrics: Sendable {
    /// A method and a pattern, such as `GET` and `/v1/events/:id`.
    package typealias Route = (method: String, pattern: String)

    /// The counts of one route.
    private struct Counts {
        /// The counts by index in `statuses`, and last of all other statuses.
        var byStatus = [UInt64](repeating: 0, count: RequestMetrics.statuses.count + 1)
        /// The counts by index in `bounds`, and last of all longer durations.
        var byDuration = [UInt64](repeating: 0, count: RequestMetrics.bounds.count + 1)
        var microseconds: UInt64 = 0
    }

    private static let statuses = [
        200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 412, 413, 414, 415, 421, 422, 429, 431,
        500, 503,
    ]
    /// The upper bounds of the histogram's buckets, in µs.
    private static let bounds: [Int64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    ]

    private let routes: [Route]
    private let counts: Mutex<[Counts]>

    /// Creates counters for these routes, and for requests without a route.
    package init(routes: [Route]) {
        self.routes = routes + [(method: "", pattern: "none")]
        counts = Mutex(Array(repeating: Counts(), count: self.routes.count))
    }

    /// Counts a response; nil or an invalid index means that the request has no route.
    package func record(route: Int?, status: Int, microseconds: Int64) {
        let index = route.flatMap { routes.indices.contains($0) ? $0 : nil } ?? routes.count - 1
        let status = Self.statuses.firstIndex(of: status) ?? Self.statuses.count
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        counts.withLock { counts in
            counts[index].byStatus[status] &+= 1
            counts[index].byDuration[bucket] &+= 1
            counts[index].microseconds &+= UInt64(clamping: microseconds)
        }
    }

    /// Appends the totals since the start, without routes that had no requests.
    package func append(to text: inout MetricsText) {
        let totals = counts.withLock { $0 }
        text.begin("humon_requests_total", .counter, "Requests by route and status.")
        for (route, counts) in zip(routes, totals) {
            for (index, count) in counts.byStatus.enumerated() where count > 0 {
                let status =
                    Self.statuses.indices.contains(index)
                    ? String(Self.statuses[index]) : "other"
                text.sample(labels(of: route) + [("status", status)], count)
            }
        }
        text.begin(
            "humon_request_duration_seconds",
            .histogram,
            "Time from a request's last byte to its response."
        )
        for (route, counts) in zip(routes, totals)
        where counts.byDuration.contains(where: { $0 > 0 }) {
            append(counts, of: route, to: &text)
        }
    }

    private func append(_ counts: Counts, of route: Route, to text: inout MetricsText) {
        let labels = labels(of: route)
        var total: UInt64 = 0
        for (index, count) in counts.byDuration.enumerated() {
            total &+= count
            let bound =
                Self.bounds.indices.contains(index)
                ? "\(Double(Self.bounds[index]) / 1_000_000)" : "+Inf"
            text.sample(suffix: "_bucket", labels + [("le", bound)], total)
        }
        text.sample(suffix: "_sum", labels, Double(counts.microseconds) / 1_000_000)
        text.sample(suffix: "_count", labels, total)
    }

    private func labels(of route: Route) -> [(String, String)] {
        [("method", route.method), ("route", route.pattern)]
    }
}
