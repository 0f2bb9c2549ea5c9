import HTTP
import Support
import Testing

/// `GET /v1/events/:id.ics` and `.geojson` return one event as a document.
@Suite struct EventDocumentSpec {
    private static func document(_ type: String, _ body: String) -> Answer {
        Answer(200, ["content-type": type, "etag": ETag.make(for: body.utf8.span)], body: body)
    }

    @Test(arguments: Driver.allCases, ["", "/"])
    func `returns a calendar with one opaque event`(
        driver: Driver,
        end: String
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            try server.setExampleDates()
            let before = try server.storedRows()

            let answer = try await server.get("/v1/events/2.ics\(end)")

            // The same VEVENT as in the example calendar.
            let example = try Answer.example("upcoming.ics")
            let event = try #require(example.firstMatch(of: /(?s)BEGIN:VEVENT.*?END:VEVENT\r\n/))
            let body =
                """
                BEGIN:VCALENDAR\r
                VERSION:2.0\r
                PRODID:-//Humon//Events//EN\r
                CALSCALE:GREGORIAN\r
                NAME:Concert\r
                X-WR-CALNAME:Concert\r
                REFRESH-INTERVAL;VALUE=DURATION:PT1H\r
                X-PUBLISHED-TTL:PT1H\r
                \(String(event.output).replacing("TRANSP:TRANSPARENT", with: "TRANSP:OPAQUE"))\
                END:VCALENDAR\r

                """
            #expect(answer == Self.document("text/calendar; charset=utf-8", body))
            #expect(try server.storedRows() == before)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns a feature in the format of imports`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            let answer = try await server.get("/v1/events/2.geojson")
            let bare = try await server.get("/v1/events/1.geojson", ["Accept": "text/csv"])

            let concert =
                #"{"type":"Feature","id":2,"geometry":{"type":"Point","#
                + #""coordinates":[-122.4002,37.7881]},"properties":{"name":"Concert","#
                + #""address":"85 2nd St","started_at":"2026-06-01T18:00:00.000Z","#
                + #""ended_at":"2026-06-01T19:00:00.000Z","owner":{"id":3}}}"#
            #expect(answer == Self.document("application/geo+json", concert + "\n"))
            #expect(bare.body.hasPrefix(#"{"type":"Feature","id":1,"geometry":{"type":"Point","#))
            #expect(bare.body.contains(#""address":null,"#))
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `needs no token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            for suffix in ["ics", "geojson"] {
                let answer = try await server.get("/v1/events/3.\(suffix)", headers)
                let tag = try #require(answer.fields["etag"])
                let again = try await server.get("/v1/events/3.\(suffix)", ["If-None-Match": tag])
                let head = try await server.send("HEAD", "/v1/events/3.\(suffix)")

                #expect(answer.status == 200)
                #expect(again == Answer(304, ["etag": tag]))
                #expect(head == Answer(200, answer.fields))
            }
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "2", "0", "abc", "1abc", "1.5", "+1", "-1", "9223372036854775808", "nearests",
            "clusters", ":id", "1%20", "%EF%BC%91", "1.ics",
        ]
    )
    func `returns 404 for unknown and malformed ids`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            #expect(try await server.get("/v1/events/\(id).ics") == .notFound)
            #expect(try await server.get("/v1/events/\(id).geojson") == .notFound)
        }
    }

    @Test(arguments: Driver.allCases, ["ics", "geojson"])
    func `rejects methods that change something`(driver: Driver, suffix: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let path = "/v1/events/1.\(suffix)"

            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let answer = try await server.send(method, path, as: user, body: "name=a")
                #expect(answer == .notAllowed(allow: "GET, HEAD, OPTIONS"))
            }
            #expect(
                try await server.send("OPTIONS", path)
                    == Answer(204, ["allow": "GET, HEAD, OPTIONS"])
            )
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
        }
    }
}
