import Humon
import Logging
import Settings
import Support
import Testing

/// The ids of a `traceparent` header in the log, which is all that the header does.
@Suite struct TraceParentSpec {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private static let valid = "00-\(trace)-\(parent)-01"
    private static let zeros = String(repeating: "0", count: 32)
    private static let members = #","trace_id":"\#(trace)","parent_id":"\#(parent)""#

    @Test(
        arguments: Driver.allCases,
        [
            valid, "00-\(trace)-\(parent)-ff", "01-\(trace)-\(parent)-01",
            "01-\(trace)-\(parent)-01-what the future brings", "cc-\(trace)-\(parent)-01-",
            "fe-\(trace)-\(parent)-00-00", "\t \(valid) ",
        ]
    )
    func `is in the line of the request`(driver: Driver, value: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/1", ["Traceparent": value])

            let ids = #""request_id":"\#(answer.requestID)""# + Self.members + "}\n"
            #expect(try server.log().hasSuffix(ids))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "", "00", "00-", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", valid + "1",
            "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-0g", valid + "-", valid + "-00",
            "01-\(trace)-\(parent)-011", "01-\(trace)-\(parent)-01_a", "ff-\(trace)-\(parent)-01",
            "ff-\(trace)-\(parent)-01-a", "FE-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-001",
            "0x-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01",
            "00-\(trace)-\(parent.uppercased())-01", "00-\(trace)-\(parent)-0A",
            "00-\(zeros)-\(parent)-01", "00-\(trace)-\(zeros.prefix(16))-01",
            "00-\(trace.dropLast())-0\(parent)-01", "00-\(trace)0-\(parent.dropLast())-01",
            "00-\(trace.dropLast())g-\(parent)-01", "00_\(trace)-\(parent)-01",
            "00-\(trace)_\(parent)-01", "00-\(trace)-\(parent)_01", "00-\(trace)-\(parent)-0é",
            "\"\(valid)\"", "00-\(trace) \(parent)-01", valid + ", " + valid,
            "01-\(trace)-\(parent)-01-a,\(valid)", String(repeating: "0", count: 4000),
        ]
    )
    func `is ignored if it is malformed`(driver: Driver, value: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/1", ["traceparent": value])

            #expect(answer == .json(404, #"{"message":"Not Found"}"#))
            #expect(try server.log().hasSuffix(#""request_id":"\#(answer.requestID)"}"# + "\n"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is ignored if it occurs twice`(driver: Driver) async throws {
        let later = "01-\(Self.trace)-\(Self.parent)-01-a"
        try await withServer(driver) { server in
            for (first, second) in [(Self.valid, Self.valid), (later, later), (Self.valid, "")] {
                let answer = try await server.get(
                    "/v1/events/1",
                    ["traceparent": first, "TRACEPARENT": second]
                )

                #expect(
                    try server.log().hasSuffix(#""request_id":"\#(answer.requestID)"}"# + "\n")
                )
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `is in lines for people, too`(driver: Driver) async throws {
        try await withServer(
            driver,
            logFormat: .text,
            configure: { $0.slowMilliseconds = 0 }
        ) { server in
            let answer = try await server.get("/v1/events/1", ["traceparent": Self.valid])

            let lines = try server.log().split(separator: "\n")
            try #require(lines.count == 2)
            let ids = "request_id=\(answer.requestID) trace=\(Self.trace) method=GET "
            #expect(lines[0].contains(" warning slow request " + ids))
            #expect(lines[1].hasSuffix("ms \(answer.requestID) trace=\(Self.trace)"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is in what else the log says of the request`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.slowMilliseconds = 0 }) { server in
            let answer = try await server.post("/v1/users", ["traceparent": Self.valid])

            let lines = try server.log().split(separator: "\n")
            try #require(lines.count == 3)
            let ids = #""request_id":"\#(answer.requestID)""# + Self.members
            #expect(lines[0].contains(#""message":"sign-up rejected","# + ids + #","cause":""#))
            #expect(lines[1].contains(#""message":"slow request","# + ids + #","method":"POST""#))
            #expect(lines[2].hasSuffix(ids + "}"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `changes nothing of the response`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let fields = ["X-Request-Id": "a", "tracestate": "a=b"] as KeyValuePairs
            let plain = try await server.get("/v1/events", fields)
            let traced = try await server.get(
                "/v1/events",
                ["X-Request-Id": "a", "tracestate": "a=b", "traceparent": Self.valid]
            )

            #expect(plain == traced)
            #expect(!traced.fields.keys.contains { $0.hasPrefix("trace") })
        }
    }
}
