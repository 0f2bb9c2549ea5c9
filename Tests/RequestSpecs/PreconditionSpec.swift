import Support
import Testing

/// `If-Match` and `If-None-Match` on the writes of a record.
@Suite struct PreconditionSpec {
    /// A header, and whether a write that has it goes on; `TAG` stands for the record's tag.
    struct Condition: Sendable, CustomTestStringConvertible {
        let name: String
        let values: [String]
        let isFulfilled: Bool

        init(_ name: String, _ values: String..., isFulfilled: Bool) {
            self.name = name
            self.values = values
            self.isFulfilled = isFulfilled
        }

        var testDescription: String { "\(name): \(values)" }

        /// The header's lines for a record with this tag.
        func lines(_ tag: String) -> String {
            values.map { "\(name): \($0.replacing("TAG", with: tag))\r\n" }.joined()
        }
    }

    private static let conditions = [
        Condition("If-Match", "TAG", isFulfilled: true),
        Condition("If-Match", "*", isFulfilled: true),
        Condition("If-Match", #""a" ,, TAG,"b""#, isFulfilled: true),
        Condition("If-Match", #""a""#, "TAG", isFulfilled: true),
        Condition("If-Match", "TAG, x", isFulfilled: true),
        Condition("If-Match", #"W/"a", TAG"#, isFulfilled: true),
        Condition("If-Match", "W/TAG", isFulfilled: false),
        Condition("If-Match", #""a""#, isFulfilled: false),
        Condition("If-Match", #""a""#, #""b""#, isFulfilled: false),
        Condition("If-Match", "", isFulfilled: false),
        Condition("If-Match", "x, TAG", isFulfilled: false),
        Condition("If-Match", "x", "TAG", isFulfilled: false),
        Condition("If-Match", #""*""#, isFulfilled: false),
        Condition("If-None-Match", #""a""#, isFulfilled: true),
        Condition("If-None-Match", "x, TAG", isFulfilled: true),
        Condition("If-None-Match", "TAG", isFulfilled: false),
        Condition("If-None-Match", "W/TAG", isFulfilled: false),
        Condition("If-None-Match", "*", isFulfilled: false),
        Condition("If-None-Match", #""a""#, "TAG", isFulfilled: false),
    ]

    @Test(arguments: Driver.allCases, conditions)
    func `are checked before an event is written`(
        driver: Driver,
        condition: Condition
    ) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            for (method, body) in [("PATCH", "name=a"), ("PUT", eventJSON()), ("DELETE", "")] {
                let id = try await server.createGala(by: owner)
                let path = "/v1/events/\(id)"
                let before = try await server.get(path)
                let tag = try #require(before.fields["etag"])

                let answer = try await server.send(
                    TestRequest(
                        method,
                        path,
                        as: owner,
                        lines: condition.lines(tag),
                        body: body
                    )
                )

                let after = try await server.get(path)
                if condition.isFulfilled {
                    #expect(answer == (method == "DELETE" ? .noContent : .id(id)))
                    #expect(after != before)
                } else {
                    #expect(answer == .preconditionFailed(tag))
                    #expect(answer.cacheControl == "no-store")
                    #expect(after == before)
                }
            }
        }
    }

    @Test(arguments: Driver.allCases, conditions)
    func `are checked before a task is written`(
        driver: Driver,
        condition: Condition
    ) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            for (method, body) in [
                ("PATCH", "task[title]=b"), ("PUT", "task[completed]=1"), ("DELETE", ""),
            ] {
                let task = try await server.createTask("a", account)
                let path = "/v1/tasks/\(task.id).json?authentication_token=\(account.token)"
                let before = try await server.get(path)
                let tag = try #require(before.fields["etag"])

                let answer = try await server.send(
                    TestRequest(method, path, lines: condition.lines(tag), body: body)
                )

                let after = try await server.get(path)
                if condition.isFulfilled {
                    #expect(answer == .noContent)
                    #expect(after != before)
                } else {
                    #expect(answer == .todoPreconditionFailed(tag))
                    #expect(after == before)
                }
            }
        }
    }

    @Test(arguments: Driver.allCases, ["PATCH", "PUT"])
    func `come after 401, 400, 404 and 403, and before 422`(
        driver: Driver,
        method: String
    ) async throws {
        try await withServer(driver) { server in
            let (owner, other) = (try await server.signUp(), try await server.signUp())
            try await server.createGala(by: owner)
            let stale: KeyValuePairs = ["If-Match": #""stale""#]
            let tag = try #require(try await server.get("/v1/events/1").fields["etag"])
            let invalid = #"{"lat":"x"}"#

            let answers = [
                try await server.send(method, "/v1/events/1", stale, body: invalid),
                try await server.send(method, "/v1/events/2", as: owner, stale, body: invalid),
                try await server.send(method, "/v1/events/1", as: other, stale, body: invalid),
                try await server.send(method, "/v1/events/1", as: owner, stale, body: invalid),
            ]
            let malformed = try await server.send(
                method,
                "/v1/events/1",
                as: owner,
                stale,
                body: "{"
            )

            #expect(answers == [.unauthorized, .notFound, .forbidden, .preconditionFailed(tag)])
            #expect(malformed.status == 400)
        }
    }

    @Test(arguments: Driver.allCases, ["PATCH", "PUT"])
    func `come after 401, 404 and 400, and before 422, for a task`(
        driver: Driver,
        method: String
    ) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            let path = "/v1/tasks/1.json"
            let token = "?authentication_token=\(account.token)"
            let stale: KeyValuePairs = ["If-Match": #""stale""#]
            let tag = try #require(try await server.get(path + token).fields["etag"])
            let invalid = "task[completed]=maybe"

            let answers = [
                try await server.send(method, path, stale, body: invalid),
                try await server.send(method, "/v1/tasks/2" + token, stale, body: invalid),
                try await server.send(method, path + token, stale),
                try await server.send(method, path + token, stale, body: invalid),
                try await server.send(method, path + token, ["If-Match": tag], body: invalid),
            ]

            #expect(
                answers == [
                    .needsSignIn, .todoNotFound, .badRequest, .todoPreconditionFailed(tag),
                    .unprocessable(#"{"completed":["is invalid"]}"#),
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `let one of two writes at once through`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            let account = try await server.signUpForTodo()
            let token = "?authentication_token=\(account.token)"
            for round in 1...8 {
                let event = "/v1/events/\(try await server.createGala(by: owner))"
                let task = "/v1/tasks/\(try await server.createTask("a", account).id)\(token)"
                let tags = [
                    try #require(try await server.get(event).fields["etag"]),
                    try #require(try await server.get(task).fields["etag"]),
                ]

                let changes = try await server.sendAtOnce(
                    ["b", "c"].flatMap { name in
                        [
                            TestRequest(
                                "PATCH",
                                event,
                                as: owner,
                                ["If-Match": tags[0]],
                                body: "name=\(name)"
                            ),
                            TestRequest(
                                "PATCH",
                                task,
                                ["If-Match": tags[1]],
                                body: "task[title]=\(name)"
                            ),
                        ]
                    }
                )
                let statuses = [[0, 2], [1, 3]].map { $0.map { changes[$0].status }.sorted() }

                #expect(statuses == [[200, 412], [204, 412]], "round \(round)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `let one of eight deletions and changes at once through`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)
            let tag = try #require(try await server.get("/v1/events/1").fields["etag"])

            let answers = try await server.sendAtOnce(
                (0..<8).map { index in
                    TestRequest(
                        index % 2 == 0 ? "DELETE" : "PATCH",
                        "/v1/events/1",
                        as: owner,
                        ["If-Match": tag],
                        body: index % 2 == 0 ? "" : "name=\(index)"
                    )
                }
            )

            let fulfilled = answers.filter { $0.status < 300 }
            #expect(fulfilled.count == 1)
            #expect(answers.allSatisfy { $0.status < 300 || [404, 412].contains($0.status) })
        }
    }

    @Test(arguments: Driver.allCases)
    func `of an attendance are met by no tag, because it has none`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)
            let conditions: [KeyValuePairs<String, String>] = [
                ["If-Match": #""a""#], ["If-None-Match": "*"], ["If-Match": ""],
                ["If-Match": "*"],
            ]

            var answers: [Answer] = []
            for condition in conditions {
                answers.append(
                    try await server.delete("/v1/attendances/2", as: user, condition)
                )
                answers.append(
                    try await server.delete("/v1/attendances/1", as: user, condition)
                )
            }

            let failed = Answer.json(412, #"{"message":"Precondition Failed"}"#)
            #expect(
                answers == [
                    .notFound, failed, .notFound, failed, .notFound, failed, .notFound, .noContent,
                ]
            )
            #expect(try server.rows("SELECT id FROM attendances") == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `are ignored where a record is made`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let account = try await server.signUpForTodo()
            for condition in [["If-Match": #""a""#], ["If-None-Match": "*"]]
                as [KeyValuePairs<String, String>]
            {
                let answers = [
                    try await server.post("/v1/events", as: user, condition, body: eventJSON()),
                    try await server.post(
                        "/v1/attendances",
                        as: user,
                        condition,
                        body: "event[id]=1"
                    ),
                    try await server.post(
                        "/v1/tasks?authentication_token=\(account.token)",
                        condition,
                        body: "task[title]=a"
                    ),
                ]

                #expect(answers.map(\.status) == [200, 200, 200])
            }
        }
    }
}

extension Answer {
    /// The answer to a write whose condition the record with this tag does not meet.
    fileprivate static func preconditionFailed(_ tag: String) -> Answer {
        json(412, #"{"message":"Precondition Failed"}"#, ["etag": tag])
    }

    fileprivate static func todoPreconditionFailed(_ tag: String) -> Answer {
        json(412, #"{"status":"412","error":"Precondition Failed"}"#, ["etag": tag])
    }
}
