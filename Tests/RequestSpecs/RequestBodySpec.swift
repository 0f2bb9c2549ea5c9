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
            ("name=%7B%22a%22%7D", "{\"a\"}"),
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

    /// Bodies that are no object with an attribute of an event, and what is wrong with them.
    private static let unreadable: [(body: String, message: String)] =
        ["[]", #"[{"name":"a"}]"#, #" [{"op":"replace","path":"/name","value":"a"}]"#].map { body in
            (body, "The body must be a JSON object.")
        }
        + [
            "{}", "&", "NAME=a", "name[]=a", #""name""#, "user[name]=a", "7", "null",
            #"{"event":{"name":"a"}}"#, #"{"id":2,"user_id":2,"owner":{"id":2}}"#,
            #""{\"name\":\"a\"}""#, #"<event name="a"><name>a</name></event>"#,
            "\0n\0a\0m\0e\0=\0a", "\0{\0\"\0n\0a\0m\0e\0\"\0:\01\0}", "\u{1}name\u{1}a",
        ].map { body in
            (
                body,
                "The body has none of these keys: name, address, lat, lon, started_at, ended_at, "
                    + "description, url, image_url, category, tags, status, series_id, "
                    + "visibility, data"
            )
        }

    @Test(arguments: Driver.allCases, unreadable)
    func `rejects a change with none of the record's keys`(
        driver: Driver,
        change: (body: String, message: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user, ["name": #""before""#])

            // Keys in the query don't make such a body an empty one.
            let answers = [
                try await server.patch("/v1/events/1", as: user, body: change.body),
                try await server.put("/v1/events/1", as: user, body: change.body),
                try await server.patch("/v1/events/1?name=a", as: user, body: change.body),
                try await server.put("/v1/events/1?name=a", as: user, body: change.body),
                try await server.patch("/v1/events/2", as: user, body: change.body),
            ]
            let stranger = try await server.patch("/v1/events/1", body: change.body)

            #expect(answers == Array(repeating: .malformed(change.message), count: 5))
            #expect(stranger == .unauthorized)
            #expect(try server.rows("SELECT name FROM events") == ["before"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects JSON that is not an object in the format of each system`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            let token = "?authentication_token=\(account.token)"
            let body = #"[{"name":"a"}]"#

            let humon = [
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": TestServer.secret],
                    body: body
                ),
                try await server.post("/v1/events", as: user, body: body),
                try await server.post("/v1/attendances", as: user, body: body),
                try await server.post("/api/checkins", body: body),
            ]
            let todo = [
                try await server.post("/v1/users.json", body: body),
                try await server.post("/v1/users/sign_in.json", body: body),
                try await server.post("/v1/tasks" + token, body: body),
                try await server.put("/v1/tasks/1" + token, body: body),
                try await server.patch("/v1/tasks/1" + token, body: body),
            ]
            let myTasks = [
                try await server.post("/my_tasks/add_task.php?name=a&taskID=1", body: body),
                try await server.post("/my_tasks/set_task_completed.php?taskID=1", body: body),
            ]

            let message = "The body must be a JSON object."
            #expect(humon == Array(repeating: .malformed(message), count: 4))
            let error = Answer.json(400, #"{"status":"400","error":"\#(message)"}"#)
            #expect(todo == Array(repeating: error, count: 5))
            #expect(myTasks == [Answer(400), Answer(400)])
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["a"])
            #expect(try server.rows("SELECT id FROM shared_tasks") == [])
            #expect(try server.rows("SELECT id FROM checkins") == [])
            #expect(try server.rows("SELECT id FROM attendances") == [])
        }
    }

    @Test(arguments: Driver.allCases, ["gzip", "deflate", "br", "GZIP, identity", "x-gzip"])
    func `rejects a body with a content coding in the format of each system`(
        driver: Driver,
        coding: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            let headers: KeyValuePairs = [
                "Content-Encoding": coding, "Authorization": "Bearer \(account.token)",
                "tb-app-secret": TestServer.secret,
            ]
            // The server can't know whether the header is true.
            let body = "name=a&taskID=1&event[id]=1&task[title]=b&lat=1&lon=1&started_at=2030-01-01"

            let humon = [
                try await server.post("/v1/users", headers, body: body),
                try await server.post("/v1/events", as: user, headers, body: body),
                try await server.patch("/v1/events/1", as: user, headers, body: body),
                try await server.put("/v1/events/1", as: user, headers, body: body),
                try await server.post("/v1/attendances", as: user, headers, body: body),
                try await server.post("/api/checkins", headers, body: "{}"),
            ]
            let todo = [
                try await server.post("/v1/users/sign_in.json", headers, body: body),
                try await server.post("/v1/tasks", headers, body: body),
                try await server.put("/v1/tasks/1", headers, body: body),
                try await server.patch("/v1/tasks/1", headers, body: body),
            ]
            let myTasks = [
                try await server.post("/my_tasks/add_task.php", headers, body: body),
                try await server.post("/my_tasks/set_task_completed.php", headers, body: body),
            ]

            let message = "Content-Encoding \(coding) is not supported. Send the body as it is."
            let accept = ["accept-encoding": "identity"]
            let expected = Answer.json(415, #"{"message":"\#(message)"}"#, accept)
            #expect(humon == Array(repeating: expected, count: 6))
            let error = Answer.json(415, #"{"status":"415","error":"\#(message)"}"#, accept)
            #expect(todo == Array(repeating: error, count: 4))
            #expect(myTasks == [Answer(415, accept), Answer(415, accept)])
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["a"])
            #expect(try server.rows("SELECT id FROM users") == ["1"])
            #expect(try server.rows("SELECT id FROM shared_tasks") == [])
            #expect(try server.rows("SELECT id FROM checkins") == [])
            #expect(try server.rows("SELECT id FROM attendances") == [])
        }
    }

    @Test(arguments: Driver.allCases, ["identity", "Identity, identity", ""])
    func `reads a body without a content coding`(driver: Driver, coding: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                ["Content-Encoding": coding],
                body: eventJSON()
            )
            let empty = try await server.patch("/v1/events/1", as: user, ["Content-Encoding": "br"])

            #expect([answer, empty] == [.id(1), .id(1)])
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects a part of a record in PUT`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            let headers: KeyValuePairs = [
                "Content-Range": "bytes 0-9/20", "Authorization": "Bearer \(account.token)",
            ]

            let event = try await server.put(
                "/v1/events/1",
                as: user,
                headers,
                body: eventJSON(["name": #""b""#])
            )
            let task = try await server.put("/v1/tasks/1", headers, body: "task[title]=b")

            let message = "Content-Range is not supported. Send the whole record without it."
            #expect(event == .malformed(message))
            #expect(task == .json(400, #"{"status":"400","error":"\#(message)"}"#))
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["a"])
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
            ("?name=query", "", "query"), ("?name=query&lat=2", "lat=3", "query"),
            ("?name=query&name=last", "", "last"), ("?n%61me=%71uery+1", "lat=3", "query 1"),
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
                try await server.patch("/v1/events/1?name=a", as: user, body: #"{"name":null}"#),
                try await server.patch("/v1/events/1?name=a", as: user, body: "name"),
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
