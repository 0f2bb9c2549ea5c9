import Humon
import Support
import Testing

@testable import Settings

/// What web pages of other origins are told.
@Suite struct CrossOriginSpec {
    private static let origin = "https://app.example.com"
    private static let listed = { @Sendable (configuration: inout Configuration) in
        configuration.crossOrigins = ["http://localhost:5173", origin]
    }
    private static let exposed = [
        "access-control-allow-origin": origin, "vary": "Origin",
        "access-control-expose-headers":
            "etag, link, location, content-location, idempotent-replayed, preference-applied, "
            + "retry-after, ratelimit, ratelimit-policy, x-request-id",
    ]

    @Test(arguments: Driver.allCases)
    func `lets a page on the list read answers of every kind`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.listed) { server in
            let missing = try await server.get("/v1/events/1", ["Origin": Self.origin])
            let malformed = try await server.send(
                TestRequest("GET", "/", wire: "GET / HTTP/1.1\r\nOrigin: \(Self.origin)\r\n\r\n")
            )

            #expect(missing == .json(404, #"{"message":"Not Found"}"#, Self.exposed))
            #expect(malformed.status == 400)
            #expect(malformed.fields["access-control-allow-origin"] == Self.origin)
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers the question that a browser asks first`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.listed) { server in
            let answer = try await server.send(
                "OPTIONS",
                "/v1/events/1",
                ["Origin": Self.origin, "Access-Control-Request-Method": "PATCH"]
            )

            let allowed = "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
            let more = [
                "allow": allowed, "access-control-allow-methods": allowed,
                "access-control-allow-headers":
                    "authorization, content-type, idempotency-key, if-match, "
                    + "if-none-match, last-event-id, prefer, traceparent, x-request-id, "
                    + "tb-device-token, tb-auth-token, "
                    + "x-device-token, tb-app-secret, x-app-secret",
                "access-control-max-age": "600",
            ]
            #expect(answer == Answer(204, Self.exposed.merging(more) { $1 }))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "capacitor://localhost", "tauri://localhost", "https://localhost",
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            "safari-web-extension://6C1C1C1E-0000-4000-8000-00000000ABCD",
        ]
    )
    func `lets an app that is a web page read answers`(
        driver: Driver,
        origin: String
    ) async throws {
        let setting = try #require(Setting.named("CORS_ORIGINS"))
        let listed = { @Sendable (configuration: inout Configuration) in
            #expect(setting.store("https://a.example, \(origin)/", &configuration))
        }
        try await withServer(driver, configure: listed) { server in
            let question: KeyValuePairs = [
                "Access-Control-Request-Method": "POST", "Origin": origin,
            ]
            let preflight = try await server.send("OPTIONS", "/v1/events", question)
            let answer = try await server.get("/v1/events/1", ["Origin": origin])
            let other = try await server.get("/v1/events/1", ["Origin": origin.uppercased()])

            let fields = Self.exposed.merging(["access-control-allow-origin": origin]) { $1 }
            #expect(answer == .json(404, #"{"message":"Not Found"}"#, fields))
            #expect(preflight.status == 204)
            #expect(preflight.fields["access-control-allow-origin"] == origin)
            #expect(
                preflight.fields["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS"
            )
            #expect(other == .json(404, #"{"message":"Not Found"}"#, ["vary": "Origin"]))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "https://evil.example.com", "http://app.example.com", "https://app.example.com:444",
            "https://app.example.com.evil.example", "null", "HTTPS://APP.EXAMPLE.COM",
        ]
    )
    func `tells every other page nothing`(driver: Driver, origin: String) async throws {
        try await withServer(driver, configure: Self.listed) { server in
            let answer = try await server.get("/v1/events/1", ["Origin": origin])

            #expect(answer == .json(404, #"{"message":"Not Found"}"#, ["vary": "Origin"]))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is off where no origin is listed`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(
                "OPTIONS",
                "/v1/events",
                ["Origin": Self.origin, "Access-Control-Request-Method": "POST"]
            )

            #expect(answer == Answer(204, ["allow": "GET, HEAD, POST, OPTIONS"]))
        }
    }
}
