@testable import HTTP
import Logging
import Model
import Rules
import Testing
import Time
import Web

@Suite struct AdminApplicationTests {
    private static func application(_ checks: ReadinessCheck...) throws -> AdminApplication {
        let store = FailingStore(error: ModelError.unreachable(cause: "It is gone"))
        let logger = try Logger(level: .error, format: .json)
        return AdminApplication(
            beside: try store.application(logger),
            AdminSurroundings(
                readiness: { checks },
                measure: { text in text.counter("a_total", "Some.", 7) },
                overview: {
                    ServerOverview(
                        startedAt: Timestamp(milliseconds: 0),
                        bytes: nil,
                        lastBackup: nil,
                        findings: []
                    )
                }
            ),
            version: "1.2.3"
        )
    }

    private static func get(_ path: String, _ application: AdminApplication) async -> Response {
        await application.respond(to: Request(method: .get, path: path))
    }

    private static let json: Headers = [
        "content-type": "application/json; charset=utf-8", "cache-control": "no-store",
    ]

    @Test func `is alive while it answers`() async throws {
        let sick = try Self.application(("database", problem: "It is gone."))

        let response = await Self.get("/healthz", sick)

        #expect(response.status == .ok)
        #expect(response.headers == Self.json)
        #expect(response.body == Array(#"{"status":"ok"}"#.utf8))
    }

    @Test func `is ready if every check is passed`() async throws {
        let response = await Self.get(
            "/readyz",
            try Self.application(
                ("database", problem: nil),
                ("queue", problem: nil)
            )
        )

        let body = #"{"status":"ok","checks":{"database":"ok","queue":"ok"}}"#
        #expect(response.status == .ok)
        #expect(response.headers == Self.json)
        #expect(response.body == Array(body.utf8))
    }

    @Test func `says what is wrong where it is not ready`() async throws {
        let response = await Self.get(
            "/readyz",
            try Self.application(
                ("database", problem: "It is \"gone\"."),
                ("queue", problem: nil)
            )
        )

        let body =
            #"{"status":"unavailable","checks":{"database":"It is \"gone\".","queue":"ok"}}"#
        #expect(response.status == .serviceUnavailable)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
    }

    @Test func `tells the measurements`() async throws {
        let response = await Self.get("/metrics", try Self.application())

        let body = "# HELP a_total Some.\n# TYPE a_total counter\na_total 7\n"
        #expect(response.status == .ok)
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(String(decoding: response.body, as: UTF8.self) == body)
    }

    @Test func `has nothing else`() async throws {
        let application = try Self.application()

        #expect(await Self.get("/v1/events/1", application).status == .misdirectedRequest)
        let wrong = await application.respond(to: Request(method: .post, path: "/metrics"))
        #expect(wrong.status == .methodNotAllowed)
        #expect(wrong.headers["allow"] == "GET, HEAD, OPTIONS")
        #expect(application.refuse(.badRequest, "Bad.").status == .badRequest)
    }
}
