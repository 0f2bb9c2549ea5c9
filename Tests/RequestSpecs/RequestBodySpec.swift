import Support
import Testing

/// How bodies are read: by what they are, and together with the query.
@Suite struct RequestBodySpec {
    private static let types = [
        "application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=utf-8", "text/plain", "multipart/form-data",
        "nonsense", "",
    ]

    @Test(arguments: Driver.allCases, types)
    func `reads JSON and forms whatever they are called`(
        driver: Driver,
        type: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let json = try await server.post(
                "/v1/events",
                as: user,
                ["Content-Type": type],
                body: eventJSON()
            )
            let form = try await server.post(
                "/v1/events",
                as: user,
                ["Content-Type": type],
                body: "name=Form&lat=1&lon=2&started_at=2013-09-16"
            )

            #expect([json, form] == [.id(1), .id(2)])
            #expect(
                try server.rows("SELECT name FROM events ORDER BY id")
                    == ["Best event OF ALL TIME!", "Form"]
            )
        }
    }

    @Test(arguments: Driver.allCases, ["application/json", "application/x-www-form-urlencoded"])
    func `takes an empty body for no parameters`(driver: Driver, type: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let headers: KeyValuePairs = ["Content-Type": type]

            let answers = [
                try await server.get("/v1/events/1/attendances", as: user, headers),
                try await server.patch("/v1/events/1", as: user, headers),
                try await server.patch("/v1/events/1", as: user, headers, body: " \r\n\t"),
                try await server.post("/v1/attendances", as: user, headers),
                try await server.delete("/v1/events/1", as: user, headers),
            ]

            #expect(
                answers == [
                    .found(#"{"count":0,"attendances":[]}"#), .id(1), .id(1), .notFound,
                    .noContent,
                ]
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("\u{feff}{\"name\":\"a\"}", "a"), ("\u{feff} \n{\"name\":\"a\"}", "a"),
            (" \t\r\n{\"name\":\"a\"}\r\n ", "a"), (#"{"name":"a","name":"b"}"#, "b"),
            (#"{"n\u0061me":"\u0041"}"#, "A"), ("name=a&name=b", "b"), ("&name=a&&", "a"),
            ("name=a%20b+c%2Bd", "a b c+d"), ("name=%C3%A9%F0%9F%8E%89", "é🎉"),
            ("name=a=b", "a=b"), ("n%61me=a", "a"), ("name=100%&x", "100%"), ("name=%zz", "%zz"),
            ("name=a;lat=99", "a;lat=99"), ("name=a%26b%3Dc", "a&b=c"),
            ("name=%7B%22a%22%7D", "{\"a\"}"), ("NAME=a", "before"), ("name[]=a", "before"),
            (#"[{"name":"a"}]"#, "before"), (#""name""#, "before"), ("user[name]=a", "before"),
            (#"{"event":{"name":"a"}}"#, "before"),
        ]
    )
    func `finds the name in a body`(
        driver: Driver,
        body: (text: String, name: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user, ["name": #""before""#])

            let answer = try await server.patch("/v1/events/1", as: user, body: body.text)

            #expect(answer == .id(1))
            #expect(try server.rows("SELECT name FROM events") == [body.name])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("{", "line 1, column 2: expected a key in quotes, found the end of the text"),
            (#"{"a":1"#, #"line 1, column 7: expected \",\" or \"}\", found the end of the text"#),
            (#"{"a":1}}"#, #"line 1, column 8: expected the end of the text, found \"}\""#),
            (" {\n\"é\": nul}", #"line 2, column 9: expected \"null\", found \"}\""#),
            ("[1,]", #"line 1, column 4: expected a value, found \"]\""#),
        ]
    )
    func `says where JSON is malformed and changes nothing`(
        driver: Driver,
        body: (text: String, message: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)

            let answers = [
                try await server.post("/v1/events", as: user, body: body.text),
                try await server.post("/v1/attendances", as: user, body: body.text),
                try await server.patch("/v1/events/1", as: user, body: body.text),
                try await server.put("/v1/events/1", as: user, body: body.text),
            ]

            let expected = Answer.malformed("Malformed JSON at " + body.message)
            #expect(answers == Array(repeating: expected, count: 4))
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
            #expect(try server.rows("SELECT id FROM attendances") == [])
        }
    }

    @Test(arguments: Driver.allCases, [64, 65])
    func `reads JSON that is nested 64 deep and no deeper`(
        driver: Driver,
        depth: Int
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let value =
                String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(["more": value])
            )

            #expect(answer.status == (depth == 64 ? 200 : 400))
            #expect(try server.rows("SELECT id FROM events") == (depth == 64 ? ["1"] : []))
        }
    }

    @Test(arguments: Driver.allCases, [1000, 1001])
    func `reads a form of 1000 parameters and no more`(driver: Driver, count: Int) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let body = String(repeating: "a&", count: count - 1) + "name=a"

            let answer = try await server.patch("/v1/events/1", as: user, body: body)

            #expect(
                answer == (count == 1000 ? .id(1) : .malformed("There are too many parameters."))
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("?name=query", "name=body", "body"), ("?name=query", #"{"name":"body"}"#, "body"),
            ("?name=query", "", "query"), ("?name=query", "{}", "query"),
            ("?name=query&name=last", "[]", "last"), ("?n%61me=%71uery+1", "x=y", "query 1"),
            ("?id=2&name=query", #"{"id":2,"name":"body"}"#, "body"),
        ]
    )
    func `takes the path's parameters before the body's, and those before the query's`(
        driver: Driver,
        request: (query: String, body: String, name: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            try await server.createEvent(by: user, ["name": #""second""#])

            let answer = try await server.patch(
                "/v1/events/1" + request.query,
                as: user,
                body: request.body
            )

            #expect(answer == .id(1))
            #expect(
                try server.rows("SELECT name FROM events ORDER BY id") == [request.name, "second"]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes null in the body before the query`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)

            let answers = [
                try await server.patch(
                    "/v1/events/1?name=query",
                    as: user,
                    body: #"{"name":null}"#
                ),
                try await server.patch("/v1/events/1?name=query", as: user, body: "name"),
                try await server.post(
                    "/v1/attendances?event[id]=1",
                    as: user,
                    body: #"{"event":{"id":null}}"#
                ),
                try await server.post("/v1/attendances?event[id]=1", as: user),
                try await server.post("/v1/attendances?event%5Bid%5D=1", as: user, body: "{}"),
            ]

            let blank = Answer.invalid("Name can't be blank")
            #expect(answers == [blank, blank, .notFound, .id(1), .id(1)])
        }
    }
}
