import Support
import Testing

/// PUT and PATCH /v1/tasks/:id.json.
@Suite struct UpdateTaskSpec {
    private static let rows: StaticString =
        "SELECT json_array(id, account_id, title, is_completed) FROM todo_tasks ORDER BY id"

    @Test(arguments: Driver.allCases, ["PUT", "PATCH"])
    func `completes a task and keeps the rest`(driver: Driver, method: String) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let task = try await server.createTask("Buy milk", account)
            let path = "/v1/tasks/\(task.id).json"
            let token = "authentication_token=\(account.token)"

            let completed = try await server.send(
                method,
                path,
                body: token + "&task[completed]=1"
            )
            let afterwards = try server.rows(Self.rows)
            let renamed = try await server.send(method, path, body: token + "&task[title]=a%26b")

            #expect(completed == .noContent && renamed == .noContent)
            #expect(TodoClient.succeeds(completed))
            #expect(afterwards == [#"[1,1,"Buy milk",1]"#])
            #expect(try server.rows(Self.rows) == [#"[1,1,"a&b",1]"#])
        }
    }

    @Test func `sends the very bytes of the published app`() {
        let request = TodoClient.complete(7, true, "T")

        let text = String(decoding: request.bytes, as: UTF8.self)
        #expect(text.hasPrefix("PUT /v1/tasks/7.json HTTP/1.1\r\n"))
        #expect(text.hasSuffix("\r\n\r\nauthentication_token=T&task[completed]=1"))
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("task[completed]=0", 0), ("task[completed]=", 0), ("task[completed]", 0),
            ("task[completed]=false", 0), ("task[completed]=off", 0), ("task[completed]=F", 0),
            (#"{"task":{"completed":false}}"#, 0), (#"{"task":{"completed":null}}"#, 0),
            ("task[completed]=1", 1), ("task[completed]=true", 1), ("task[completed]=ON", 1),
            ("task[completed]=t", 1), (#"{"task":{"completed":1}}"#, 1),
            (#"{"task":{"completed":1.0}}"#, 1),
        ]
    )
    func `reads a boolean as forms have it`(
        driver: Driver,
        change: (body: String, isCompleted: Int)
    ) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let task = try await server.createTask("a", account)
            _ = try await server.send(TodoClient.complete(task.id, true, account.token))

            let answer = try await server.put(
                "/v1/tasks/1.json",
                ["Authorization": "Bearer \(account.token)"],
                body: change.body
            )

            #expect(answer == .noContent)
            #expect(try server.rows(Self.rows) == [#"[1,1,"a",\#(change.isCompleted)]"#])
        }
    }

    @Test(arguments: Driver.allCases)
    func `asks for a token, then for the task, then for the change`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")
            _ = try await server.createTask("Ana's", ana)
            let path = "/v1/tasks/1.json?authentication_token="

            #expect(try await server.put("/v1/tasks/1.json") == .needsSignIn)
            #expect(try await server.put(path + "x") == .unknownAccessToken)
            #expect(try await server.put(path + eva.token) == .todoNotFound)
            #expect(
                try await server.put(path + eva.token, body: "task[title]=Eva's") == .todoNotFound
            )
            for id in ["2", "0", "-1", "1a", "1.5", "99999999999999999999", "x"] {
                #expect(
                    try await server.put(
                        "/v1/tasks/\(id).json?authentication_token=\(ana.token)",
                        body: "task[title]=a"
                    ) == .todoNotFound
                )
            }
            #expect(try await server.put(path + ana.token) == .badRequest)
            #expect(try await server.put(path + ana.token, body: "title=a") == .badRequest)
            #expect(
                try await server.put(path + ana.token + "&task[title]=a", body: "<task/>")
                    == .badRequest
            )
            for (query, body) in [
                ("", "task[foo]=1"), ("", #"{"task":{"foo":1}}"#), ("&task[foo]=1", ""),
                ("&task[title]=a", "task[foo]=1"),
            ] {
                #expect(
                    try await server.put(path + ana.token + query, body: body)
                        == .json(
                            400,
                            #"{"status":"400","error":"The body has none of these keys: "#
                                + #"task[title], task[completed]"}"#
                        )
                )
            }
            #expect(
                try await server.put(path + ana.token, body: "task[completed]=2")
                    == .unprocessable(#"{"completed":["is invalid"]}"#)
            )
            #expect(try server.rows(Self.rows) == [#"[1,1,"Ana's",0]"#])
        }
    }

    @Test func `changes the time of the change alone`() async throws {
        try await withServer(.inProcess) { server in
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            try server.change("UPDATE todo_tasks SET created_at = 1000, updated_at = 1000")

            _ = try await server.send(TodoClient.complete(1, true, account.token))

            let times: StaticString =
                "SELECT created_at = 1000 AND updated_at > 1000 FROM todo_tasks"
            #expect(try server.rows(times) == ["1"])
        }
    }
}
