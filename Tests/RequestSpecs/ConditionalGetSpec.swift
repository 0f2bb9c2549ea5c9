import Support
import Testing

/// Entity tags and `If-None-Match`.
@Suite struct ConditionalGetSpec {
    @Test(
        arguments: Driver.allCases,
        [
            ("TAG", 304), ("W/TAG", 304), (#""other", TAG"#, 304), (#"W/"a" , W/TAG,"b""#, 304),
            (#","a",,TAG"#, 304), ("*", 304), (#""a*", "b,c", TAG"#, 304),
            (#""other""#, 200), (#"W/"other""#, 200), (#"""# + #"""#, 200), ("", 200),
            ("w/TAG", 200), (#""*""#, 200), ("other", 200),
        ]
    )
    func `answers 304 without a body to who holds the tag`(
        driver: Driver,
        condition: (text: String, status: Int)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())
            let known = try await server.get("/v1/events/1")
            let tag = try #require(known.fields["etag"])
            let text = condition.text.split(separator: "TAG", omittingEmptySubsequences: false)
                .joined(separator: tag)

            let answer = try await server.get("/v1/events/1", ["If-None-Match": text])
            let head = try await server.send("HEAD", "/v1/events/1", ["If-None-Match": text])

            #expect(answer == (condition.status == 200 ? known : Answer(304, ["etag": tag])))
            #expect(head == Answer(answer.status, answer.fields))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ([#""a""#, "TAG"], 304), (["TAG", #""a""#], 304), ([#""a", "b""#, "", #"W/TAG"#], 304),
            ([#""a""#, #""b""#], 200), (["x", "TAG"], 200), (["", ""], 200),
        ]
    )
    func `reads every line of the condition as one list`(
        driver: Driver,
        condition: (lines: [String], status: Int)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())
            let known = try await server.get("/v1/events/1")
            let tag = try #require(known.fields["etag"])
            let lines = condition.lines.map { "If-None-Match: \($0)\r\n" }.joined()

            let answer = try await server.send(
                TestRequest("GET", "/v1/events/1", lines: lines.replacing("TAG", with: tag))
            )

            #expect(answer == (condition.status == 200 ? known : Answer(304, ["etag": tag])))
        }
    }

    /// RFC 9110 section 13.1.1; `If-Match` comes before `If-None-Match` (section 13.2.2).
    @Test(
        arguments: Driver.allCases,
        [
            ("TAG", "", 200), ("*", "", 200), (#""a", TAG"#, "", 200), (#""a""#, "", 412),
            ("W/TAG", "", 412), ("", "", 412), ("TAG", "TAG", 304), ("*", "*", 304),
            (#""a""#, "TAG", 412), (#""a""#, "*", 412), ("TAG", #""a""#, 200),
        ]
    )
    func `answers 412 to a read of another version`(
        driver: Driver,
        condition: (match: String, noneMatch: String, status: Int)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())
            for path in ["/v1/events/1", "/v1/events", "/v1/events.csv"] {
                let known = try await server.get(path)
                let tag = try #require(known.fields["etag"])
                var lines = "If-Match: \(condition.match)\r\n"
                if !condition.noneMatch.isEmpty {
                    lines += "If-None-Match: \(condition.noneMatch)\r\n"
                }
                lines = lines.replacing("TAG", with: tag)

                let answer = try await server.send(TestRequest("GET", path, lines: lines))
                let head = try await server.send(TestRequest("HEAD", path, lines: lines))

                var fields = ["etag": tag]
                if let vary = known.fields["vary"] { fields["vary"] = vary }
                switch condition.status {
                case 200: #expect(answer == known)
                case 304: #expect(answer == Answer(304, fields))
                default:
                    #expect(answer == .json(412, #"{"message":"Precondition Failed"}"#, fields))
                    #expect(answer.cacheControl == "no-store")
                }
                #expect(head == Answer(answer.status, answer.fields))
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers 412 to a read in the format of each system`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let stale: KeyValuePairs = ["If-Match": #""stale""#]
            let task = "/v1/tasks?authentication_token=\(account.token)"
            var answers: [Answer] = []
            var expected: [Answer] = []
            for (path, body) in [
                (task, #"{"status":"412","error":"Precondition Failed"}"#),
                ("/api/checkins", "[]"), ("/openapi.json", #"{"message":"Precondition Failed"}"#),
            ] {
                let tag = try #require(try await server.get(path).fields["etag"])
                answers.append(try await server.get(path, stale))
                expected.append(.json(412, body, ["etag": tag]))
            }
            let list = try await server.get("/my_tasks/pending_tasks.php", stale)
            let missing = try await server.get("/v1/events/1", stale)

            #expect(answers == expected)
            #expect(list.status == 412 && list.body.isEmpty)
            #expect(missing == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `tags each GET of JSON, with another tag once the answer differs`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let event = try await server.createEvent(by: user, ["lat": "0", "lon": "0"])
            let targets = [
                "/v1/events/\(event)", "/v1/events/\(event)/attendances",
                "/v1/events/nearests?lat=0&lon=0", "/v1/events/nearest?lat=0&lon=0",
            ]

            let first = try await Self.tags(of: targets, on: server)
            let again = try await Self.tags(of: targets, on: server)
            _ = try await server.patch("/v1/events/\(event)", as: user, body: "name=a")
            try await server.attend(event, as: user)
            let changed = try await Self.tags(of: targets, on: server)

            #expect(first == again)
            #expect(zip(first, changed).allSatisfy { $0 != $1 })
            #expect((first + changed).allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") })
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers the event in full once it has changed`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let old = try #require(try await server.get("/v1/events/1").fields["etag"])
            _ = try await server.patch("/v1/events/1", as: user, body: "name=a")

            let answer = try await server.get("/v1/events/1", ["If-None-Match": old])

            #expect(answer.status == 200)
            #expect(answer.body.contains(#""name":"a""#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `tags nothing but successful GETs, and looks at the tag of writes`(driver: Driver)
        async throws
    {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let star: KeyValuePairs = ["If-None-Match": "*"]

            let answers = [
                try await server.post("/v1/events", as: user, star, body: eventJSON()),
                try await server.patch("/v1/events/1", as: user, star, body: "name=a"),
                try await server.get("/v1/events/2", star),
                try await server.get("/v1/events/nearests", star),
                try await server.get("/v1/users", star),
                try await server.send("OPTIONS", "/v1/users", star),
                try await server.delete("/v1/events/1", as: user, star),
            ]

            let tag = try #require(try await server.get("/v1/events/1").fields["etag"])
            let failed = Answer.json(412, #"{"message":"Precondition Failed"}"#, ["etag": tag])
            #expect(
                answers == [
                    .id(1), failed, .notFound,
                    .invalid("Lat can't be blank", "Lon can't be blank"),
                    .notAllowed(allow: "POST, OPTIONS"), Answer(204, ["allow": "POST, OPTIONS"]),
                    failed,
                ]
            )
        }
    }

    private static func tags(of targets: [String], on server: TestServer) async throws -> [String] {
        var tags: [String] = []
        for target in targets {
            tags.append(try #require(try await server.get(target).fields["etag"]))
        }
        return tags
    }
}
