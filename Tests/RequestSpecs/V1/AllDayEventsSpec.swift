import Support
import Testing

/// Events that take whole days.
@Suite struct AllDayEventsSpec {
    private static let rows: StaticString = """
        SELECT json_array(started_at, ended_at, all_day) FROM events ORDER BY id
        """
    /// From 2 June 2026 to 4 June 2026.
    private static let stored = "[1780358400000,1780531200000,1]"
    private static let place = #""name":"Fair","address":"Pier 7","lat":1,"lon":2"#
    private static let sent =
        #"{\#(place),"started_at":"2026-06-02","ended_at":"2026-06-04","all_day":true}"#

    private static func event(_ rest: String, end: String = #""2026-06-04T00:00:00.000Z""#)
        -> String
    {
        #"{"address":"Pier 7","ended_at":\#(end),"id":1,"lat":1.0,"lon":2.0,"name":"Fair","#
            + #""started_at":"2026-06-02T00:00:00.000Z","owner":{"id":1}\#(rest)}"#
    }

    @Test(
        arguments: Driver.allCases,
        [
            sent,
            #"{\#(place),"started_at":"2026-06-02","ended_at":"2026-06-04"}"#,
            #"{\#(place),"started_at":"2026-06-02","ended_at":"2026-06-04","all_day":"true"}"#,
            #"{\#(place),"started_at":"2026-06-02T02:00+02:00","ended_at":"2026-06-04","#
                + #""all_day":1}"#,
            "name=Fair&address=Pier+7&lat=1&lon=2&started_at=2026-06-02&end_at=2026-06-04"
                + "&all_day=1",
        ]
    )
    func `stores the dates and shows that they are dates`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post("/v1/events", as: user, body: body)

            #expect(answer == .id(1))
            #expect(try server.rows(Self.rows) == [Self.stored])
            let event = Self.event(#","all_day":true"#)
            #expect(try await server.get("/v1/events/1").body == event)
            #expect(try await server.get("/v1/events/nearests?lat=1&lon=2").body == "[\(event)]")
            #expect(
                try await server.get("/v1/events?fields=id,all_day").body
                    == #"{"events":[{"id":1,"all_day":true}],"next":null}"# + "\n"
            )
            #expect(
                try await server.get("/v1/events.csv?fields=id,all_day").body
                    == "id,all_day\r\n1,true\r\n"
            )
            #expect(
                try await server.get("/v1/events/1.geojson").body.hasSuffix(
                    #","owner":{"id":1},"all_day":true}}"# + "\n"
                )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps a date alone midnight if it is not said to be a day`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            for flag in ["", #","all_day":false"#, #","all_day":null"#, #","all_day":"""#] {
                _ = try await server.post(
                    "/v1/events",
                    as: user,
                    body: #"{\#(Self.place),"started_at":"2026-06-02"\#(flag)}"#
                )
            }

            #expect(
                try server.rows(Self.rows)
                    == Array(repeating: "[1780358400000,null,null]", count: 4)
            )
            #expect(try await server.get("/v1/events/1").body == Self.event("", end: "null"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects times of day, and what is neither true nor false`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)
            let bodies = [
                #"{"all_day":true,"started_at":"2026-06-02T10:00Z","status":"done","data":1}"#,
                #"{"all_day":true,"ended_at":"2026-06-04T00:00:00.001Z"}"#,
                "all_day=yes",
                #"{"all_day":true,"started_at":"2026-02-30"}"#,
            ]

            var errors: [String] = []
            for body in bodies {
                let answer = try await server.patch("/v1/events/1", as: user, body: body)
                #expect(answer.status == 422)
                errors.append(answer.body)
            }

            let needsDates = "All day needs dates such as 2026-06-02 as started_at and ended_at"
            #expect(
                errors
                    == [
                        [
                            "Status must be one of scheduled, cancelled, postponed", needsDates,
                            "Data must be a JSON object (in a form: its text)",
                        ], [needsDates], ["All day must be true or false"],
                        ["Started at is not a time such as 2030-09-16T12:00:00Z"],
                    ].map { sentences in
                        #"{"message":"Validation Failed","errors":["#
                            + sentences.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
                    }
            )
            #expect(try server.rows(Self.rows) == [Self.stored])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (#"{"ended_at":"2026-06-04T00:00:00.000Z"}"#, "[1780358400000,1780531200000,1]"),
            (#"{"started_at":"2026-06-03"}"#, "[1780444800000,1780531200000,1]"),
            (#"{"ended_at":null}"#, "[1780358400000,null,1]"),
            (#"{"all_day":false}"#, "[1780358400000,1780531200000,null]"),
            ("all_day=", "[1780358400000,1780531200000,null]"),
            // A client that doesn't know the attribute can set times of day.
            ("ended_at=2026-06-04T10:00Z", "[1780358400000,1780567200000,null]"),
        ]
    )
    func `stays an all-day event as long as its times are dates`(
        driver: Driver,
        change: (body: String, row: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)

            let answer = try await server.patch("/v1/events/1", as: user, body: change.body)

            #expect(answer == .id(1))
            #expect(try server.rows(Self.rows) == [change.row])
        }
    }

    @Test(arguments: Driver.allCases)
    func `has times again after a PUT without it`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)

            let body =
                #"{\#(Self.place),"started_at":"2026-06-02T00:00Z","ended_at":"2026-06-04"}"#
            _ = try await server.put("/v1/events/1", as: user, body: body)

            #expect(try await server.get("/v1/events/1").body == Self.event(""))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is found until the end of its last day`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)
            let oneDay = #"{\#(Self.place),"started_at":"2026-06-02","all_day":true}"#
            _ = try await server.post("/v1/events", as: user, body: oneDay)
            // Another program may store an end before the start.
            _ = try await server.post("/v1/events", as: user, body: oneDay)
            try server.change("UPDATE events SET ended_at = 0 WHERE id = 3")
            func ids(from: String, to: String) async throws -> String {
                let query = "fields=id&sort=id&from=\(from)&to=\(to)"
                return try await server.get("/v1/events?\(query)").body
            }

            let days = [
                try await ids(from: "2026-06-02T23:59:59Z", to: "2026-06-03T00:00:00Z"),
                try await ids(from: "2026-06-04T23:59:59Z", to: "2026-06-06T00:00:00Z"),
                try await ids(from: "2026-06-05T00:00:00Z", to: "2026-06-06T00:00:00Z"),
                try await ids(from: "2026-06-01T00:00:00Z", to: "2026-06-02T00:00:00Z"),
            ]

            #expect(
                days
                    == [#"{"id":1},{"id":2},{"id":3}"#, #"{"id":1}"#, "", ""].map {
                        #"{"events":[\#($0)],"next":null}"# + "\n"
                    }
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `has dates in calendars, feeds and text, in every time zone`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)
            let oneDay = #"{\#(Self.place),"started_at":"9999-12-30","all_day":true}"#
            _ = try await server.post("/v1/events", as: user, body: oneDay)
            _ = try await server.post(
                "/v1/events",
                as: user,
                body: oneDay.replacing("12-30", with: "12-31")
            )

            let calendars = [
                try await server.get("/v1/events/1.ics").body,
                try await server.get("/v1/events/2.ics").body,
                try await server.get("/v1/events/3.ics").body,
            ].map { calendar in
                calendar.split(separator: "\r\n").filter { $0.hasPrefix("DT") }.dropFirst()
                    .joined(separator: " ")
            }
            let feed = try await server.get("/v1/events.atom?tz=America/Los_Angeles").body
            let text = try await server.get("/v1/events.txt?tz=America/Los_Angeles").body

            #expect(
                calendars == [
                    "DTSTART;VALUE=DATE:20260602 DTEND;VALUE=DATE:20260605",
                    "DTSTART;VALUE=DATE:99991230 DTEND;VALUE=DATE:99991231",
                    "DTSTART;VALUE=DATE:99991231",
                ]
            )
            #expect(
                feed.contains("<content type=\"text\">2026-06-02 to 2026-06-04, Pier 7</content>")
            )
            #expect(feed.contains("<content type=\"text\">9999-12-30, Pier 7</content>"))
            #expect(text.hasPrefix("2026-06-02         #1  Fair, Pier 7\n"))
        }
    }
}
