import Support
import Testing

/// POST /v1/tasks.json.
@Suite struct CreateTaskSpec {
    private static let rows: StaticString = """
        SELECT json_array(id, account_id, title, is_completed, created_at = updated_at)
        FROM todo_tasks ORDER BY id
        """

    @Test(arguments: Driver.allCases)
    func `stores a task and answers it`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()

            let answer = try await server.send(
                TodoClient.create("Buy milk & eggs, 2x", account.token)
            )

            #expect(answer == .ok(answer.body))
            #expect(
                answer.template
                    == #"{"id":1,"title":"Buy milk & eggs, 2x","completed":false,"user_id":1,"#
                    + #""created_at":"T","updated_at":"T"}"#
            )
            #expect(
                try TodoClient.task(in: answer)
                    == TodoClient.Task(id: 1, title: "Buy milk & eggs, 2x", isCompleted: false)
            )
            #expect(try server.rows(Self.rows) == [#"[1,1,"Buy milk & eggs, 2x",0,1]"#])
        }
    }

    @Test func `sends the very bytes of the published app`() {
        let request = TodoClient.create("Buy milk & eggs, 2x", "T")

        let text = String(decoding: request.bytes, as: UTF8.self)
        #expect(text.hasPrefix("POST /v1/tasks.json?authentication_token=T HTTP/1.1\r\n"))
        #expect(
            text.hasSuffix(
                "\r\n\r\nauthentication_token=T&task[title]=Buy%20milk%20%26%20eggs%2C%202x"
            )
        )
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("task[title]=", "\"\",0"), ("task[title]", "\"\",0"),
            ("task[title]=%20%20", "\"  \",0"), ("task[foo]=1", "\"\",0"),
            (#"{"task":{"title":null}}"#, "\"\",0"), (#"{"task":{"title":7}}"#, "\"7\",0"),
            ("task[title]=a&task[completed]=1&task[id]=9&task[user_id]=9", "\"a\",1"),
            ("task[title]=a&task[completed]=TRUE", "\"a\",1"),
            ("task[title]=a&task[completed]=oFF", "\"a\",0"),
            (#"{"task":{"title":"a","completed":true}}"#, "\"a\",1"),
            (#"{"task":{"title":"a","completed":null}}"#, "\"a\",0"),
        ]
    )
    func `stores blank titles and a completion, and ignores the rest`(
        driver: Driver,
        task: (body: String, row: String)
    ) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo().token

            let answer = try await server.post(
                "/v1/tasks",
                ["Authorization": "Bearer \(token)"],
                body: task.body
            )

            #expect(answer.status == 200)
            _ = try TodoClient.task(in: answer)
            #expect(try server.rows(Self.rows) == ["[1,1,\(task.row),1]"])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (
                "task[title]=\(String(repeating: "x", count: 256))",
                #"{"title":["is too long (maximum is 255 characters)"]}"#
            ),
            ("task[title]=%00", #"{"title":["is invalid"]}"#),
            ("task[completed]=maybe", #"{"completed":["is invalid"]}"#),
            (
                #"{"task":{"title":[],"completed":2}}"#,
                #"{"title":["is invalid"],"completed":["is invalid"]}"#
            ),
        ]
    )
    func `refuses what breaks a rule`(
        driver: Driver,
        fault: (body: String, errors: String)
    ) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo().token

            let answer = try await server.post(
                "/v1/tasks.json?authentication_token=\(token)",
                body: fault.body
            )

            #expect(answer == .unprocessable(fault.errors))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `asks for a token before it asks for a task`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo().token
            let path = "/v1/tasks.json?authentication_token="

            #expect(try await server.post("/v1/tasks.json") == .needsSignIn)
            #expect(try await server.post(path + "x") == .unknownAccessToken)
            for body in ["", "title=a", "task=a", "task", #"{"task":{}}"#, "{}"] {
                #expect(try await server.post(path + token, body: body) == .badRequest)
            }
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test func `prefers the token in the body to the one in the query`() async throws {
        try await withServer(.inProcess) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")

            _ = try await server.post(
                "/v1/tasks.json?authentication_token=\(ana.token)",
                body: "authentication_token=\(eva.token)&task[title]=a"
            )

            #expect(try server.rows("SELECT account_id FROM todo_tasks") == ["2"])
        }
    }
}
