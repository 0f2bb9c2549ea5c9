import Support
import Testing

/// `PATCH /v1/events/:id` changes some attributes.
@Suite struct UpdateEventSpec {
    /// What is stored of an event besides its id.
    static let events: StaticString = """
        SELECT json_array(owner_id, name, address, latitude, longitude, started_at, ended_at)
        FROM events ORDER BY id
        """

    @Test(
        arguments: Driver.allCases,
        [
            ("", #"[1,"Gala","Here",1.0,2.0,1379289600000,1379376000000]"#),
            (
                #"{"name":"Ball"}"#,
                #"[1,"Ball","Here",1.0,2.0,1379289600000,1379376000000]"#
            ),
            ("lat=-3&lon=4.5", #"[1,"Gala","Here",-3.0,4.5,1379289600000,1379376000000]"#),
            (
                #"{"address":null,"ended_at":null}"#,
                #"[1,"Gala",null,1.0,2.0,1379289600000,null]"#
            ),
            ("address&end_at", #"[1,"Gala",null,1.0,2.0,1379289600000,null]"#),
            ("address=&ended_at=", #"[1,"Gala","",1.0,2.0,1379289600000,null]"#),
            (
                #"{"started_at":"2013-09-18","end_at":"2013-09-19"}"#,
                #"[1,"Gala","Here",1.0,2.0,1379462400000,1379548800000]"#
            ),
            (
                #"{"id":9,"user_id":2,"owner_id":2,"owner":{"id":2},"user":{"id":2},"name":"a"}"#,
                #"[1,"a","Here",1.0,2.0,1379289600000,1379376000000]"#
            ),
        ]
    )
    func `changes what is sent, clears what is null, keeps the rest`(
        driver: Driver,
        change: (body: String, row: String)
    ) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            _ = try await server.signUp()
            let id = try await server.createGala(by: owner)

            let answer = try await server.patch("/v1/events/\(id)", as: owner, body: change.body)

            #expect(answer == .id(id))
            #expect(try server.rows(Self.events) == [change.row])
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows a name that differs only in its bytes`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            let id = try await server.createGala(by: owner)
            for name in ["\u{E9}", "e\u{301}", "\u{E9}"] {
                let body = #"{"name":"\#(name)"}"#
                _ = try await server.patch("/v1/events/\(id)", as: owner, body: body)

                for path in ["/v1/events/\(id)", "/v1/events/nearests?lat=1&lon=2"] {
                    let body = try await server.get(path).body
                    // Strings that are canonically equivalent would be equal.
                    let accent: Unicode.Scalar = "\u{301}"
                    let isDecomposed = name.unicodeScalars.contains(accent)
                    #expect(body.unicodeScalars.contains(accent) == isDecomposed)
                    #expect(body.contains(name))
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `is seen at once where the event is and where it was`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)

            _ = try await server.patch(
                "/v1/events/1",
                as: owner,
                body: #"{"lat":-3,"lon":4.5,"name":"Ball"}"#
            )

            let event =
                #"{"address":"Here","ended_at":"2013-09-17T00:00:00.000Z","id":1,"lat":-3.0,"#
                + #""lon":4.5,"name":"Ball","started_at":"2013-09-16T00:00:00.000Z","#
                + #""owner":{"id":1}}"#
            #expect(try await server.get("/v1/events/1") == .found(event))
            #expect(
                try await server.get("/v1/events/nearests?lat=-3&lon=4.5&radius=0.001")
                    == .found("[\(event)]")
            )
            #expect(
                try await server.get("/v1/events/nearests?lat=1&lon=2&radius=1")
                    == .found(#"{"message":"No Events Found"}"#)
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (#"{"name":null}"#, ["Name can't be blank"]),
            (
                "name=+&lat=&lon",
                ["Lat can't be blank", "Lon can't be blank", "Name can't be blank"]
            ),
            (#"{"started_at":null,"name":"Ball"}"#, ["Started at can't be blank"]),
            (#"{"lat":91,"address":"There"}"#, ["Lat must be less than or equal to 90"]),
            (
                #"{"ended_at":"never","lon":0}"#,
                ["Ended at is not a time such as 2030-09-16T12:00:00Z"]
            ),
        ]
    )
    func `answers 422 and changes nothing where anything is invalid`(
        driver: Driver,
        fault: (body: String, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)

            let answer = try await server.patch("/v1/events/1", as: owner, body: fault.body)

            #expect(answer == .invalid(fault.errors))
            #expect(try server.rows(Self.events) == [Self.gala])
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token, whatever the event and the body`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createGala(by: server.signUp())

            let answers = [
                try await server.patch("/v1/events/1", headers, body: eventJSON()),
                try await server.patch("/v1/events/2", headers, body: eventJSON()),
                try await server.patch("/v1/events/1", headers, body: "{"),
                try await server.put("/v1/events/1", headers, body: eventJSON()),
                try await server.put("/v1/events/2", headers, body: eventJSON()),
                try await server.put("/v1/events/1", headers, body: "{"),
            ]

            #expect(answers == Array(repeating: .unauthorized, count: 6))
            #expect(try server.rows(Self.events) == [Self.gala])
        }
    }

    @Test(arguments: Driver.allCases, ["PATCH", "PUT"])
    func `looks at the form, then for the event, the owner and the attributes`(
        driver: Driver,
        method: String
    ) async throws {
        try await withServer(driver) { server in
            let (owner, other) = (try await server.signUp(), try await server.signUp())
            try await server.createGala(by: owner)
            let (cut, bad) = ("{", #"{"lat":"x"}"#)

            let answers = [
                try await server.send(method, "/v1/events/2", as: other, body: cut),
                try await server.send(method, "/v1/events/2x", as: other, body: cut),
                try await server.send(method, "/v1/events/1", as: other, body: cut),
                try await server.send(method, "/v1/events/2", as: other, body: bad),
                try await server.send(method, "/v1/events/2", as: owner, body: eventJSON()),
                try await server.send(method, "/v1/events/1x", as: owner, body: eventJSON()),
                try await server.send(method, "/v1/events/1", as: other, body: bad),
                try await server.send(method, "/v1/events/1", as: other, body: eventJSON()),
            ]

            let malformed = Answer.malformed(
                "Malformed JSON at line 1, column 2: "
                    + "expected a key in quotes, found the end of the text"
            )
            #expect(
                answers == [
                    malformed, malformed, malformed, .notFound, .notFound, .notFound, .forbidden,
                    .forbidden,
                ]
            )
            #expect(try server.rows(Self.events) == [Self.gala])
        }
    }

    @Test(arguments: Driver.allCases)
    func `loses none of 32 changes of different attributes at once`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)
            let bodies = ["name=Ball", "address=There", "lat=3", "lon=4"]

            let answers = try await server.sendAtOnce(
                (0..<32).map { index in
                    TestRequest("PATCH", "/v1/events/1", as: owner, body: bodies[index % 4])
                }
            )

            #expect(answers == Array(repeating: .id(1), count: 32))
            #expect(
                try server.rows(Self.events)
                    == [#"[1,"Ball","There",3.0,4.0,1379289600000,1379376000000]"#]
            )
        }
    }

    private static let gala = #"[1,"Gala","Here",1.0,2.0,1379289600000,1379376000000]"#
}

extension TestServer {
    /// The id of a new event that has every attribute.
    @discardableResult
    func createGala(by owner: TestUser) async throws -> Int64 {
        try await createEvent(
            by: owner,
            [
                "name": #""Gala""#, "address": #""Here""#, "lat": "1", "lon": "2",
                "ended_at": #""2013-09-17T00:00:00.000Z""#,
            ]
        )
    }
}
