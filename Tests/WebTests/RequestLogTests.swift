import Foundation
@testable import HTTP
import Logging
import Rules
import Support
import Testing
import Web

/// What the log says of requests that came slowly or were rejected.
@Suite struct RequestLogTests {
    @Test func `counts the time in which a request arrives`() async throws {
        var request = Request(method: .get, path: "/v1/nothing")
        request.arrivalMilliseconds = 3000

        let (status, lines, metrics) = try await respond(to: request)

        #expect(status == .notFound)
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""level":"warning","message":"slow request","#))
        #expect(
            lines[0].contains(
                /"duration_ms":"3[0-9]{3}\.[0-9]","arriving_ms":"3000","turn_ms":"0","/
            )
        )
        #expect(lines[1].contains(/"path":"\/v1\/nothing".*"duration_ms":3[0-9]{3}\.[0-9]{3},/))
        // The histogram is of the server's own time.
        let bucket = #"humon_request_duration_seconds_bucket{method="",route="none",le="1.0"} 1"#
        #expect(metrics.contains("\n\(bucket)\n"))
    }

    @Test func `says how long the response of a slow request was written`() async throws {
        let pipe = Pipe()
        let logger = try Logger(
            level: .info,
            format: .json,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        var request = Request(method: .get, path: "/v1/events.ics")
        request.arrivalMilliseconds = 1000
        var response = Response(.ok)
        response.rendering.work = 400_250
        response.rendering.pauses = 99_750
        let application = try FailingStore(error: ModelError.notFound).application(logger)

        application.logSlow(request, response, 2_100_000, turn: 500_000, nil, requestID: "a")

        logger.close()
        try pipe.fileHandleForWriting.close()
        let log = try pipe.fileHandleForReading.readToEnd() ?? Data()
        #expect(
            String(decoding: log, as: UTF8.self).hasSuffix(
                #""request_id":"a","method":"GET","path":"/v1/events.ics","status":"200","#
                    + #""duration_ms":"2100.0","arriving_ms":"1000","turn_ms":"500","#
                    + #""handler_ms":"100.0","rendering_ms":"400.2","paused_ms":"99.7","#
                    + #""writer_queue_ms":"0.0","transaction_ms":"0.0","#
                    + #""hashing_queue_ms":"0.0","hashing_ms":"0.0"}"# + "\n"
            )
        )
    }

    @Test func `leaves a request alone that comes in time`() async throws {
        var request = Request(method: .get, path: "/v1/nothing")
        request.arrivalMilliseconds = 900

        let (_, lines, _) = try await respond(to: request)

        try #require(lines.count == 1)
        #expect(lines[0].contains(/"duration_ms":9[0-9]{2}\.[0-9]{3},/))
    }

    @Test(
        arguments: [
            (
                "tb-app-secret", "wrong",
                "the value of the tb-app-secret header is not in TB_APP_SECRET"
            ),
            (
                "x-app-secret", "wrong",
                "the value of the tb-app-secret header is not in TB_APP_SECRET"
            ),
            ("tb-app-secret", "", "the tb-app-secret header is empty"),
            ("x-other", "wrong", "no tb-app-secret header, and ALLOW_LEGACY_SIGN_UP is false"),
        ]
    )
    func `says why a sign-up is rejected`(
        name: String,
        value: String,
        reason: String
    ) async throws {
        let request = Request(method: .post, path: "/v1/users", headers: [name: value])

        let (status, lines, _) = try await respond(to: request)

        #expect(status == .notFound)
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""level":"info","message":"sign-up rejected","request_id":""#))
        #expect(lines[0].hasSuffix(#","cause":"\#(reason)"}"#))
        #expect(lines[1].contains(#""path":"/v1/users","status":404,"#))
        #expect(!lines.joined().contains("wrong"))
    }

    @Test func `says why an old app is rejected`() async throws {
        let request = Request(
            method: .post,
            path: "/v1/users",
            headers: ["tb-device-token": "short"]
        )

        let (status, lines, _) = try await respond(to: request, allowsLegacySignUp: true)

        #expect(status == .notFound)
        try #require(lines.count == 2)
        let reason = "no tb-app-secret header, and no device token that is a UUID"
        #expect(lines[0].hasSuffix(#","cause":"\#(reason)"}"#))
        #expect(!lines.joined().contains("short"))
    }

    @Test(arguments: [true, false])
    func `counts and logs a stream when it ends`(isComplete: Bool) async throws {
        let pipe = Pipe()
        let logger = try Logger(
            level: .info,
            format: .json,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        let application = try FailingStore(error: ModelError.notFound).application(logger)
        func metrics() -> String {
            var metrics = MetricsText()
            application.metrics.append(to: &metrics)
            return String(decoding: metrics.bytes, as: UTF8.self)
        }
        let counted = "\nhumon_requests_total{method=\"\",route=\"none\",status=\"200\"} 1\n"
        var request = Request(method: .get, path: "/stream")
        request.arrivalMilliseconds = 3000
        var response = Response(.ok)

        application.recordEnd(of: &response, to: request, route: nil, 5_000_000, requestID: "a")
        #expect(!metrics().contains(counted))
        let didEnd = try #require(response.streamDidEnd)
        didEnd(BodyStreamEnd(bytes: 123_456, isComplete: isComplete))

        logger.close()
        try pipe.fileHandleForWriting.close()
        let log = try pipe.fileHandleForReading.readToEnd() ?? Data()
        let lines = String(decoding: log, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == (isComplete ? 1 : 2))
        let path = #""method":"GET","path":"/stream","status":200,"bytes":123456,"duration_ms":8"#
        #expect(lines[0].contains(path))
        #expect(lines[0].hasSuffix(#","request_id":"a"}"#))
        let message = #""message":"a streamed response ended early""#
        let early = message + #","request_id":"a","path":"/stream"}"#
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(early) })
        let bucket = "humon_request_duration_seconds_bucket{method=\"\",route=\"none\""
        #expect(metrics().contains(counted))
        #expect(metrics().contains("\n\(bucket),le=\"1.0\"} 0\n\(bucket),le=\"+Inf\"} 1\n"))
    }

    private static let traceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let ids =
        #""request_id":"a","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","#
        + #""parent_id":"00f067aa0ba902b7""#

    @Test func `names the trace of a request that failed`() async throws {
        let request = Request(
            method: .get,
            path: "/v1/events/1",
            headers: ["x-request-id": "a", "traceparent": Self.traceParent]
        )

        let (status, lines, _) = try await respond(to: request, failing: CancellationError())

        #expect(status == .internalServerError)
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""message":"request failed","# + Self.ids + #","cause":""#))
        #expect(lines[1].hasSuffix(Self.ids + "}"))
    }

    @Test func `names the trace of a stream, and of bytes that are no request`() throws {
        let pipe = Pipe()
        let logger = try Logger(
            level: .info,
            format: .json,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        let application = try FailingStore(error: ModelError.notFound).application(logger)
        let request = Request(
            method: .get,
            path: "/stream",
            headers: ["x-request-id": "a", "traceparent": Self.traceParent]
        )
        var response = Response(.ok)

        application.recordEnd(of: &response, to: request, route: nil, 1, requestID: "a")
        response.streamDidEnd?(BodyStreamEnd(bytes: 1, isComplete: false))
        _ = application.refuse(.badRequest, "Bad Request", of: request)

        logger.close()
        try pipe.fileHandleForWriting.close()
        let log = try pipe.fileHandleForReading.readToEnd() ?? Data()
        let lines = String(decoding: log, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].hasSuffix(Self.ids + "}"))
        #expect(lines[1].hasSuffix(Self.ids + #","path":"/stream"}"#))
        #expect(lines[2].hasSuffix(Self.ids + "}"))
    }

    @Test func `names the trace of a slow request where only warnings are logged`() async throws {
        var request = Request(
            method: .get,
            path: "/v1/nothing",
            headers: ["x-request-id": "a", "traceparent": Self.traceParent]
        )
        request.arrivalMilliseconds = 3000

        let (status, lines, _) = try await respond(to: request, level: .warning)

        #expect(status == .notFound)
        try #require(lines.count == 1)
        let start = #""message":"slow request","# + Self.ids + #","method":"GET","path":"/v1/n"#
        #expect(lines[0].contains(start))
    }

    /// The status of the response, the lines of the log, and the metrics.
    private func respond(
        to request: Request,
        failing error: any Error = ModelError.notFound,
        allowsLegacySignUp: Bool = false,
        level: LogLevel = .info
    ) async throws -> (Status, lines: [String], metrics: String) {
        let pipe = Pipe()
        let logger = try Logger(
            level: level,
            format: .json,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        let application = try FailingStore(error: error)
            .application(logger, allowsLegacySignUp: allowsLegacySignUp)
        let response = await application.respond(to: request).response
        logger.close()
        try pipe.fileHandleForWriting.close()
        let log = try pipe.fileHandleForReading.readToEnd() ?? Data()
        var metrics = MetricsText()
        application.metrics.append(to: &metrics)
        return (
            response.status,
            String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init),
            String(decoding: metrics.bytes, as: UTF8.self)
        )
    }
}
