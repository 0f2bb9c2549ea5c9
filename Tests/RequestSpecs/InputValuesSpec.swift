import Support
import Testing

/// Times, numbers and texts, as clients send them and as they come back.
@Suite struct InputValuesSpec {
    @Test(
        arguments: Driver.allCases,
        [
            ("2013-09-16T00:00:00.000Z", "2013-09-16T00:00:00.000Z"),
            ("2013-09-16T10:00:00+02:00", "2013-09-16T08:00:00.000Z"),
            ("2013-09-16T23:30:00-0100", "2013-09-17T00:30:00.000Z"),
            ("2013-09-16 10:00:00", "2013-09-16T10:00:00.000Z"),
            ("2013-09-16T10:00:00", "2013-09-16T10:00:00.000Z"),
            ("2013-09-16", "2013-09-16T00:00:00.000Z"),
            ("2013-09-16T10:00Z", "2013-09-16T10:00:00.000Z"),
            ("2013-09-16T10:00+02:00", "2013-09-16T08:00:00.000Z"),
            ("2013-09-16 10:00", "2013-09-16T10:00:00.000Z"),
            ("2013-09-16T10:00+02:00[Europe/Berlin]", "2013-09-16T08:00:00.000Z"),
            ("2013-09-16T10:00:00.5Z[UTC][u-ca=gregory]", "2013-09-16T10:00:00.500Z"),
            ("2013-09-16T10:00:00.1Z", "2013-09-16T10:00:00.100Z"),
            ("2013-09-16T10:00:00.175Z", "2013-09-16T10:00:00.175Z"),
            ("2013-09-16T10:00:00.123456Z", "2013-09-16T10:00:00.123Z"),
            ("2013-09-16T10:00:00.999999999999Z", "2013-09-16T10:00:00.999Z"),
            ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
            ("2012-02-29", "2012-02-29T00:00:00.000Z"),
            ("0000-01-01", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ]
    )
    func `answers times in UTC with three decimals, cut off`(
        driver: Driver,
        time: (text: String, answer: String)
    ) async throws {
        try await withServer(driver) { server in
            let text = #""\#(time.text)""#
            try await server.createEvent(
                by: server.signUp(),
                ["started_at": text, "ended_at": text]
            )

            let answer = try await server.get("/v1/events/1")

            let allDay = time.text.count == 10 ? #","all_day":true"# : ""
            #expect(
                answer
                    == .found(
                        #"{"address":null,"ended_at":"\#(time.answer)","id":1,"lat":37.8050217,"#
                            + #""lon":-122.409155,"name":"Best event OF ALL TIME!","#
                            + #""started_at":"\#(time.answer)","owner":{"id":1}\#(allDay)}"#
                    )
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            #""2013-02-30""#, #""2013-02-29""#, #""2013-13-01""#, #""2013-00-10""#,
            #""2013-09-16T25:00:00Z""#, #""2013-09-16T24:00:00Z""#, #""2013-09-16T10:60:00Z""#,
            #""2013-09-16T10:00:00.Z""#, #""2013-09-16T10:00:00+24:00""#, #""13-09-16""#,
            #""10000-01-01""#, #""-001-01-01""#, #""9999-12-31T23:59:59-01:00""#,
            #""0000-01-01T00:00:00+01:00""#, #""2013-09-16T10:00:00Z ""#, #""now""#,
            #""2013-09-16T10:00:00Z[!u-ca=gregory]""#, #""2013-09-16T10:00[Europe/Berlin]""#,
            "1379289600", "true", "[]", #"{"date":"2013-09-16"}"#,
        ]
    )
    func `refuses what is no time`(driver: Driver, time: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(["started_at": time, "ended_at": time])
            )

            let rule = "is not a time such as 2030-09-16T12:00:00Z"
            #expect(answer == .invalid("Started at \(rule)", "Ended at \(rule)"))
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "2013-09-16T10:00:00+02:00", "2013-09-16 10:00:00.5+0200", "2013-09-16T10:00:00+02",
            "2013-09-16T10:00+02:00[Europe/Berlin]",
        ]
    )
    func `explains that a plus in a form is a space`(
        driver: Driver,
        time: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let form = "name=a&lat=1&lon=2&started_at=\(time)&ended_at=\(time)"
            let target = "/v1/events?\(form.replacing(" ", with: "%20"))"
            let encoded = form.replacing("+", with: "%2B")

            let answers = [
                try await server.post("/v1/events", as: user, body: form),
                try await server.post(target, as: user),
            ]
            let spaced = time.replacing("+", with: " ")
            let json = try await server.post(
                "/v1/events",
                as: user,
                body: #"{"name":"a","lat":1,"lon":2,"started_at":"\#(spaced)"}"#
            )
            let rows = try server.rows("SELECT id FROM events")
            let right = try await server.post("/v1/events", as: user, body: encoded)

            let hint =
                "is not a time such as 2030-09-16T12:00:00Z "
                + "(in a form or query, encode the + of the offset as %2B)"
            let expected = Answer.invalid("Started at \(hint)", "Ended at \(hint)")
            #expect(answers == [expected, expected])
            #expect(json == .invalid("Started at is not a time such as 2030-09-16T12:00:00Z"))
            #expect(rows == [])
            #expect(right == .id(1))
        }
    }

    @Test(
        arguments: Driver.allCases,
        ["2013-09-16 10", "2013-09-16T10:00:00 ", "2013-09-16T10:00:00 x", "now 02:00"]
    )
    func `does not speak of a plus where none was meant`(
        driver: Driver,
        time: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: "name=a&lat=1&lon=2&started_at=\(time)"
            )

            #expect(answer == .invalid("Started at is not a time such as 2030-09-16T12:00:00Z"))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("1.5", "1.5"), (#""1.5""#, "1.5"), ("1", "1.0"), (#""-1""#, "-1.0"), ("0", "0.0"),
            ("1e1", "10.0"), (#""1e-05""#, "1.0e-05"), ("0.1", "0.1"), ("-90", "-90.0"),
            ("90.0000000000000000001", "90.0"), ("0.30000000000000004", "0.30000000000000004"),
            ("1e-400", "0.0"), ("5e-324", "5.0e-324"), (#""+1.5""#, "1.5"),
        ]
    )
    func `answers numbers in the shortest form with a point`(
        driver: Driver,
        number: (text: String, answer: String)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(
                by: server.signUp(),
                ["lat": number.text, "lon": number.text]
            )

            let answer = try await server.get("/v1/events/1")

            #expect(
                answer
                    == .found(
                        #"{"address":null,"ended_at":null,"id":1,"lat":\#(number.answer),"#
                            + #""lon":\#(number.answer),"name":"Best event OF ALL TIME!","#
                            + #""started_at":"2013-09-16T00:00:00.000Z","owner":{"id":1}}"#
                    )
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            #""abc""#, #""12abc""#, #""1,5""#, #""1 2""#, #""0x10""#, #""NaN""#, #""inf""#,
            #""Infinity""#, #""1e400""#, "1e400", "-1e999", "true", "false", "[1]", "[]", "{}",
            #""٣""#,
        ]
    )
    func `refuses what is no number and never takes it for 0`(
        driver: Driver,
        number: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(["lat": number, "lon": number])
            )

            #expect(answer == .invalid("Lat is not a number", "Lon is not a number"))
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (#""  x  ""#, "  x  "), ("42", "42"), ("1.50", "1.50"), ("1e400", "1e400"),
            ("true", "true"), ("false", "false"), (#""\u200b""#, "\u{200b}"),
        ]
    )
    func `stores texts as they are sent, and numbers and booleans as texts`(
        driver: Driver,
        text: (json: String, stored: String)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(
                by: server.signUp(),
                ["name": text.json, "address": text.json]
            )

            #expect(try server.rows("SELECT name FROM events") == [text.stored])
            #expect(try server.rows("SELECT address FROM events") == [text.stored])
        }
    }

    @Test(arguments: Driver.allCases, ["", " ", " \\t\\n", "\\u00a0\\u2003\\u3000"])
    func `takes blank texts for an address and not for a name`(
        driver: Driver,
        text: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let json = #""\#(text)""#

            let answers = [
                try await server.post("/v1/events", as: user, body: eventJSON(["address": json])),
                try await server.post("/v1/events", as: user, body: eventJSON(["name": json])),
            ]

            #expect(answers == [.id(1), .invalid("Name can't be blank")])
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
        }
    }

    @Test(arguments: Driver.allCases, ["a", "é", "🎉"])
    func `takes names of 255 characters and addresses of 1000 and no more`(
        driver: Driver,
        character: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answers = [
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: Self.event(of: character, 255, 1000)
                ),
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: Self.event(of: character, 256, 1001)
                ),
            ]

            #expect(
                answers == [
                    .id(1),
                    .invalid(
                        "Name is too long (maximum is 255 characters)",
                        "Address is too long (maximum is 1000 characters)"
                    ),
                ]
            )
            #expect(
                try server.rows("SELECT json_array(length(name), length(address)) FROM events")
                    == ["[255,1000]"]
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [#""\u0000""#, #""a\u0000b""#, "[]", #"["a"]"#, "{}", #"{"a":"b"}"#]
    )
    func `refuses what is no text`(driver: Driver, text: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(["name": text, "address": text])
            )

            #expect(answer == .invalid("Name is invalid", "Address is invalid"))
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    private static func event(of character: String, _ name: Int, _ address: Int) -> String {
        eventJSON([
            "name": #""\#(String(repeating: character, count: name))""#,
            "address": #""\#(String(repeating: character, count: address))""#,
        ])
    }
}
