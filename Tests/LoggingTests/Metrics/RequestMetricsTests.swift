import Logging
import Testing

@Suite struct RequestMetricsTests {
    private static func lines(of metrics: RequestMetrics) -> [String] {
        var text = MetricsText()
        metrics.append(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `counts answers by route and status, and how long they took`() {
        let metrics = RequestMetrics(routes: [
            (method: "GET", pattern: "/a/:id"),
            (method: "POST", pattern: "/b"),
        ])

        metrics.record(route: 0, status: 200, microseconds: 90)
        metrics.record(route: 0, status: 200, microseconds: 101)
        metrics.record(route: 0, status: 404, microseconds: 2_000_000)
        metrics.record(route: nil, status: 599, microseconds: 1000)
        metrics.record(route: 7, status: 400, microseconds: -1)

        let lines = Self.lines(of: metrics)
        #expect(
            lines.filter { $0.hasPrefix("humon_requests_total") } == [
                #"humon_requests_total{method="GET",route="/a/:id",status="200"} 2"#,
                #"humon_requests_total{method="GET",route="/a/:id",status="404"} 1"#,
                #"humon_requests_total{method="",route="none",status="400"} 1"#,
                #"humon_requests_total{method="",route="none",status="other"} 1"#,
            ]
        )
        let duration = #"humon_request_duration_seconds"#
        let labels = #"method="GET",route="/a/:id""#
        #expect(lines.contains(#"\#(duration)_bucket{\#(labels),le="0.0001"} 1"#))
        #expect(lines.contains(#"\#(duration)_bucket{\#(labels),le="0.00025"} 2"#))
        #expect(lines.contains(#"\#(duration)_bucket{\#(labels),le="1.0"} 2"#))
        #expect(lines.contains(#"\#(duration)_bucket{\#(labels),le="+Inf"} 3"#))
        #expect(lines.contains(#"\#(duration)_sum{\#(labels)} 2.000191"#))
        #expect(lines.contains(#"\#(duration)_count{\#(labels)} 3"#))
        #expect(!lines.contains { $0.contains("/b") })
    }

    @Test func `loses nothing that threads count at once`() async {
        let metrics = RequestMetrics(routes: [(method: "GET", pattern: "/a")])

        await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<1000 { metrics.record(route: 0, status: 200, microseconds: 1) }
                }
            }
        }

        #expect(
            Self.lines(of: metrics)
                .contains(#"humon_requests_total{method="GET",route="/a",status="200"} 16000"#)
        )
    }

    @Test func `writes labels and kinds`() {
        var text = MetricsText()
        text.begin("a", .gauge, "Help.")
        text.sample([("b", "c")], 1)
        text.counter("g", "More.", 2.5)

        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                # HELP a Help.
                # TYPE a gauge
                a{b="c"} 1
                # HELP g More.
                # TYPE g counter
                g 2.5

                """
        )
    }
}
