import Humon
import Support
import Testing

@testable import Settings

/// What the log says of requests that took long.
@Suite struct SlowRequestSpec {
    private static func isPositive(_ name: String, in line: Substring) -> Bool {
        let parts = line.split(separator: #""\#(name)":""#)
        return parts.count == 2 && (Double(parts[1].prefix { $0 != "\"" }) ?? 0) > 0
    }

    @Test(arguments: Driver.allCases)
    func `tells what a slow request was waiting for`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.slowMilliseconds = 0 }) { server in
            let answer = try await server.send(TodoClient.signUp("ana@example.com", "12345678"))

            let lines = try server.log().split(separator: "\n")
            try #require(lines.count == 2)
            let line = lines[0]
            #expect(line.contains(#""level":"warning","message":"slow request","#))
            #expect(line.contains(#""request_id":"\#(answer.requestID)","method":"POST","#))
            #expect(line.contains(#""path":"/v1/users.json","status":"201","#))
            for name in ["duration_ms", "transaction_ms", "hashing_ms"] {
                #expect(Self.isPositive(name, in: line), "\(name) in \(line)")
            }
            #expect(line.contains(#""arriving_ms":"0","turn_ms":"0","handler_ms":""#))
            #expect(line.contains(#""rendering_ms":"0.0","paused_ms":"0.0","writer_queue_ms":""#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `says nothing of others`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.slowMilliseconds = 3_600_000 }) { server in
            _ = try await server.get("/v1/events/1")

            #expect(try server.log().split(separator: "\n").count == 1)
        }
    }
}
