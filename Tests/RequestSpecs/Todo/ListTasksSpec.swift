import Support
import Testing

/// GET /v1/tasks.json.
@Suite struct ListTasksSpec {
    @Test(arguments: Driver.allCases)
    func `lists the account's own tasks by id`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")
            let milk = try await server.createTask("Buy milk", ana)
            _ = try await server.createTask("Eva's", eva)
            let eggs = try await server.createTask("", ana)
            _ = try await server.send(TodoClient.complete(eggs.id, true, ana.token))

            let answer = try await server.send(TodoClient.tasks(ana.token))

            #expect(answer == .found(answer.body))
            #expect(
                answer.template
                    == #"[{"id":1,"title":"Buy milk","completed":false,"user_id":1,"#
                    + #""created_at":"T","updated_at":"T"},"#
                    + #"{"id":3,"title":"","completed":true,"user_id":1,"#
                    + #""created_at":"T","updated_at":"T"}]"#
            )
            let tasks = try TodoClient.tasks(in: answer)
            #expect(tasks == [milk, TodoClient.Task(id: 3, title: "", isCompleted: true)])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers an empty array where there is nothing`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()

            let answer = try await server.send(TodoClient.tasks(account.token))

            #expect(answer == .found("[]"))
            #expect(try TodoClient.tasks(in: answer) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes the token from the query, the body and the Authorization field`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo().token
            let path = "/v1/tasks.json"

            let answers = [
                try await server.get("\(path)?authentication_token=\(token)"),
                try await server.send("GET", path, body: "authentication_token=\(token)"),
                try await server.send("GET", path, body: #"{"authentication_token":"\#(token)"}"#),
                try await server.get(path, ["Authorization": "Bearer \(token)"]),
                try await server.get(path, ["authorization": "bearer  \(token)"]),
                try await server.get(
                    "\(path)?authentication_token=",
                    ["Authorization": "Bearer \(token)"]
                ),
            ]

            #expect(answers == Array(repeating: .found("[]"), count: answers.count))
        }
    }

    @Test(arguments: Driver.allCases)
    func `needs a token that somebody is signed in with`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo().token
            let humon = try await server.signUp()
            let path = "/v1/tasks.json"

            #expect(try await server.get(path) == .needsSignIn)
            #expect(try await server.get("\(path)?authentication_token") == .needsSignIn)
            #expect(try await server.get("\(path)?authentication_token=") == .needsSignIn)
            #expect(try await server.get("\(path)?authentication_token=%20") == .needsSignIn)
            #expect(
                try await server.get(path, ["Authorization": "Basic \(token)"]) == .needsSignIn
            )
            for wrong in [String(token.dropLast()), token + "a", "x", humon.token] {
                #expect(
                    try await server.get("\(path)?authentication_token=\(wrong)")
                        == .unknownAccessToken
                )
            }
            #expect(try await server.get(path, as: humon) == .needsSignIn)
        }
    }

    @Test func `answers 304 to an app that knows the list`() async throws {
        try await withServer(.inProcess) { server in
            let account = try await server.signUpForTodo()
            let path = "/v1/tasks.json?authentication_token=\(account.token)"
            let tag = try await server.get(path).fields["etag"] ?? ""

            let same = try await server.get(path, ["If-None-Match": tag])
            _ = try await server.createTask("a", account)
            let changed = try await server.get(path, ["If-None-Match": tag])

            #expect(same == Answer(304, ["etag": tag]))
            #expect(changed.status == 200)
        }
    }
}
