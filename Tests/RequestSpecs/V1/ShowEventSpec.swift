import Support
import Testing

/// `GET /v1/events/:id` answers an event to anybody.
@Suite struct ShowEventSpec {
    @Test(arguments: Driver.allCases)
    func `answers an event of which everything is known`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp()
            let user = try await server.signUp()
            let id = try await server.createEvent(
                by: user,
                ["address": #""85 2nd Street""#, "ended_at": #""2013-09-17T00:00:00.000Z""#]
            )

            let answer = try await server.get("/v1/events/\(id)")

            let event =
                #"{"address":"85 2nd Street","ended_at":"2013-09-17T00:00:00.000Z","id":1,"#
                + #""lat":37.8050217,"lon":-122.409155,"name":"Best event OF ALL TIME!","#
                + #""started_at":"2013-09-16T00:00:00.000Z","owner":{"id":2}}"#
            #expect(answer == .found(event))
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers null for what is unset`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let id = try await server.createEvent(by: user)

            let answer = try await server.get("/v1/events/\(id)")

            #expect(answer == .found(Self.minimal))
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `needs no token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answer = try await server.get("/v1/events/1", headers)

            #expect(answer == .found(Self.minimal))
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers the owner and others alike`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, other) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)

            #expect(try await server.get("/v1/events/1", as: owner) == .found(Self.minimal))
            #expect(try await server.get("/v1/events/1", as: other) == .found(Self.minimal))
        }
    }

    @Test(arguments: Driver.allCases)
    func `escapes what JSON needs and nothing else`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(
                by: user,
                [
                    "name": #""Füße \u2603 日本語 \ud83c\udf89 <b>&\"\\\/ \u2028""#,
                    "address": #""\u0001\b\t\n\f\r\u001f\u007f""#,
                ]
            )

            let answer = try await server.get("/v1/events/1")

            #expect(
                answer
                    == .found(
                        #"{"address":"\u0001\b\t\n\f\r\u001F"# + "\u{7f}"
                            + #"","ended_at":null,"id":1,"lat":37.8050217,"lon":-122.409155,"#
                            + #""name":"Füße ☃ 日本語 🎉 <b>&\"\\/ "# + "\u{2028}"
                            + #"","started_at":"2013-09-16T00:00:00.000Z","owner":{"id":1}}"#
                    )
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "2", "0", "abc", "1abc", "1.5", "+1", "-1", "1e0", "0x1", "%201", "1%20", "1%00",
            "99999999999999999999", "9223372036854775807", "9223372036854775808",
            "18446744073709551617", "%EF%BC%91", "1,2", "1;", ":id", "%", "..", "1.xml",
        ]
    )
    func `returns 404 for unknown and malformed ids`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answer = try await server.get("/v1/events/\(id)")

            #expect(answer == .notFound)
        }
    }

    private static let minimal =
        #"{"address":null,"ended_at":null,"id":1,"lat":37.8050217,"lon":-122.409155,"#
        + #""name":"Best event OF ALL TIME!","started_at":"2013-09-16T00:00:00.000Z","#
        + #""owner":{"id":1}}"#
}
