import JSON
import Model
import Support
import Testing

/// Repetitions of a write with the same `Idempotency-Key` have the effect and the response of one.
@Suite struct IdempotencyKeySpec {
    private static let key = "8e03978e-40d5-43dd-bc93-6894a57f9324"
    private static let events: StaticString = "SELECT json_array(id, owner_id, name) FROM events"
    private static let keys: StaticString = "SELECT count(*) FROM idempotency_keys"

    /// The answer to a repetition of the request with this answer.
    private func replayed(_ answer: Answer) -> Answer {
        var answer = answer
        answer.fields["idempotent-replayed"] = "true"
        return answer
    }

    @Test(arguments: Driver.allCases)
    func `creates an event once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            func post(_ key: String, _ body: String) async throws -> Answer {
                try await server.post("/v1/events", as: user, ["Idempotency-Key": key], body: body)
            }

            let first = try await post(Self.key, eventJSON(["name": #""a""#]))
            let again = try await post(#""\#(Self.key)""#, eventJSON(["name": #""a""#]))
            // The same content in other words.
            let spelled = try await post(
                Self.key,
                #"{ "started_at":"2013-09-16T00:00:00.000Z", "name":"\u0061", "#
                    + #""lon":-122.409155, "lat":37.8050217}"#
            )
            let other = try await post(Self.key, eventJSON(["name": #""b""#]))
            let new = try await post("another", eventJSON(["name": #""c""#]))

            #expect(first == .id(1))
            #expect(again == replayed(first) && spelled == again)
            #expect(
                other
                    == .invalid("Idempotency-Key has already been used for a different request")
            )
            #expect(new == .id(2))
            #expect(try server.rows(Self.events) == [#"[1,1,"a"]"#, #"[2,1,"c"]"#])
            #expect(try server.rows(Self.keys) == ["2"])
        }
    }

    @Test func `performs a failed request again, and stores nothing of it`() async throws {
        try await withServer(.inProcess) { server in
            let (user, other) = (try await server.signUp(), try await server.signUp())
            let key: KeyValuePairs = ["Idempotency-Key": Self.key]

            let invalid = try await server.post("/v1/events", as: user, key, body: "{}")
            let early = try await server.patch(
                "/v1/events/1",
                as: user,
                key,
                body: #"{"name":"b"}"#
            )
            #expect(invalid.status == 422 && early == .notFound)
            #expect(try server.rows(Self.keys) == ["0"])
            try await server.createEvent(by: user)
            let late = try await server.patch("/v1/events/1", as: user, key, body: #"{"name":"b"}"#)
            #expect(late == .id(1))
            // Each user has keys of their own.
            #expect(try await server.post("/v1/events", as: other, key, body: "{}").status == 422)
            // An unknown token gets the same as without a key.
            let stranger = TestUser(id: 9, token: "00000000-1111-2222-3333-444444444444")
            #expect(
                try await server.post("/v1/events", as: stranger, key, body: eventJSON())
                    == .unauthorized
            )
            #expect(
                try await server.post("/v1/events", as: nil, key, body: eventJSON())
                    == .unauthorized
            )
        }
    }

    @Test func `replays before it checks what is stored`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let event = try await server.createEvent(by: user)
            let etag = try #require(try await server.get("/v1/events/1").fields["etag"])
            let edit: KeyValuePairs = ["Idempotency-Key": "edit", "If-Match": etag]
            let delete: KeyValuePairs = ["Idempotency-Key": "delete"]

            for isFirst in [true, false] {
                let change = try await server.patch(
                    "/v1/events/\(event)",
                    as: user,
                    edit,
                    body: #"{"name":"b"}"#
                )
                #expect(change == (isFirst ? .id(1) : replayed(.id(1))))
                if isFirst { continue }
                #expect(try await server.delete("/v1/events/1", as: user, delete) == .noContent)
                #expect(
                    try await server.delete("/v1/events/1", as: user, delete)
                        == replayed(.noContent)
                )
            }
            #expect(try await server.delete("/v1/events/1", as: user) == .notFound)
            try await server.perform(.ban, .user(user.id))
            #expect(
                try await server.delete("/v1/events/1", as: user, delete)
                    == replayed(.noContent)
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `performs one of many simultaneous requests`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await server.post(
                            "/v1/events",
                            as: user,
                            ["Idempotency-Key": Self.key],
                            body: eventJSON()
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.filter { $0 == .id(1) }.count == 1)
            #expect(answers.filter { $0 == replayed(.id(1)) }.count == 31)
            #expect(try server.rows("SELECT count(*) FROM events") == ["1"])
        }
    }

    @Test(
        arguments: [
            "", #""""#, "a b", #"a"b"#, #"a\b"#, #""a";b=1"#, "é",
            String(repeating: "a", count: 256),
        ]
    )
    func `rejects malformed keys`(key: String) async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let malformed = Answer.malformed(
                "Idempotency-Key must be 1 to 255 printable characters, such as a UUID."
            )
            let fields: KeyValuePairs = ["Idempotency-Key": key]
            #expect(
                try await server.post("/v1/events", as: user, fields, body: eventJSON())
                    == malformed
            )
            #expect(try await server.post("/v1/events", fields) == malformed)
            #expect(try server.rows("SELECT count(*) FROM events") == ["0"])
            #expect(throws: SchemaError.self) { try Self.checkDescription(of: key) }
            // It is ignored elsewhere.
            #expect(try await server.get("/v1/users/me", as: user, fields).status == 200)
            let checkin = try await server.post("/api/checkins", fields, body: "{}")
            #expect(checkin.status == 200)
        }
    }

    @Test(
        arguments: [
            "a", "~", #""a""#, "!#[]", String(repeating: "a", count: 255),
            #""\#(String(repeating: "a", count: 255))""#,
        ]
    )
    func `accepts and describes other keys`(key: String) async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let fields: KeyValuePairs = ["Idempotency-Key": key]
            #expect(
                try await server.post("/v1/events", as: user, fields, body: eventJSON()) == .id(1)
            )
            #expect(try server.rows(Self.keys) == ["1"])
            try Self.checkDescription(of: key)
        }
    }

    /// Throws unless the document allows a key.
    private static func checkDescription(of key: String) throws {
        let document = try APIContract.of(Set(ServedSystem.allCases)).document
        let parameter = document["paths"]?["/v1/events"]?["post"]?["parameters"]?.elements
            .first { $0["name"]?.text == "Idempotency-Key" }
        let schema = try #require(parameter?["schema"])
        try SchemaValidator(document: document).validate(.string(key), schema)
    }

    /// Each response is compared with the document.
    @Test func `rejects the key of another request wherever it accepts one`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let account = try await server.signUpForTodo()
            let bearer = "Bearer \(account.token)"
            let key: KeyValuePairs = ["Idempotency-Key": Self.key]
            let own: KeyValuePairs = ["Idempotency-Key": Self.key, "Authorization": bearer]
            let json = #"{"Idempotency-Key":["has already been used for a different request"]}"#
            let event = Answer.invalid(
                "Idempotency-Key has already been used for a different request"
            )
            let task = Answer.json(422, json)
            let silent = Answer(422)
            func send(_ method: String, _ target: String, _ body: String = "") async throws
                -> Answer
            {
                let isTask = target.hasPrefix("/v1/tasks")
                return try await server.send(
                    method,
                    target,
                    as: user,
                    isTask ? own : key,
                    body: body
                )
            }
            // The first request of each system is performed.
            #expect(try await send("POST", "/v1/events", eventJSON()) == .id(1))
            #expect(try await send("POST", "/v1/tasks", "task[title]=a").status == 200)
            #expect(
                try await send("POST", "/my_tasks/add_task.php", "name=a&taskID=1").status == 200
            )
            #expect(try await send("POST", "/api/checkins", "{}").status == 200)

            let requests: [(String, String, String, Answer)] = [
                ("POST", "/v1/events", eventJSON(["name": #""b""#]), event),
                ("PATCH", "/v1/events/1", #"{"name":"b"}"#, event),
                ("PUT", "/v1/events/1", eventJSON(), event),
                ("DELETE", "/v1/events/1", "", event),
                ("POST", "/v1/attendances", #"{"event":{"id":1}}"#, event),
                ("DELETE", "/v1/attendances/1", "", event),
                ("POST", "/v1/tasks", "task[title]=b", task),
                ("PATCH", "/v1/tasks/1", "task[title]=b", task),
                ("PUT", "/v1/tasks/1", "task[title]=b", task),
                ("DELETE", "/v1/tasks/1", "", task),
                ("POST", "/my_tasks/add_task.php", "name=b&taskID=1", silent),
                ("GET", "/my_tasks/add_task.php?name=b&taskID=1", "", silent),
                ("POST", "/~ana/my_tasks/set_task_completed.php", "taskID=1", silent),
                ("GET", "/my_tasks/set_task_completed.php?taskID=1", "", silent),
                ("POST", "/api/checkins", #"{"usuario":"ana"}"#, event),
            ]
            for (method, target, body, expected) in requests {
                let answer = try await send(method, target, body)
                #expect(answer == expected, "\(method) \(target)")
            }
            #expect(try server.rows("SELECT count(*) FROM attendances") == ["0"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps the keys of a device whose user was merged`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (user, device) = (try await server.signUp(), try await server.signUp())
            let key: KeyValuePairs = ["Idempotency-Key": Self.key]
            let other = try await server.post("/v1/events", as: user, key, body: eventJSON())
            let first = try await server.post("/v1/events", as: device, key, body: eventJSON())
            let token = "id_token=apple:ana"
            _ = try await server.post("/v1/sessions", as: user, body: token)
            let merged = try await server.post(
                "/v1/sessions",
                as: device,
                body: token + "&merge=true"
            )

            let again = try await server.post("/v1/events", as: device, key, body: eventJSON())
            let others = try await server.post("/v1/events", as: user, key, body: eventJSON())
            let ended = TestUser(id: 9, token: "00000000-1111-2222-3333-444444444444")

            #expect(other == .id(1) && first == .id(2) && merged.status == 200)
            #expect(again == replayed(first) && others == replayed(other))
            #expect(
                try await server.post("/v1/events", as: ended, key, body: eventJSON())
                    == .unauthorized
            )
            #expect(try server.rows("SELECT owner_id FROM events") == ["1", "1"])
        }
    }

    @Test func `covers attendances`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let body = #"{"event":{"id":1}}"#
            for isFirst in [true, false] {
                let answer = try await server.post(
                    "/v1/attendances",
                    as: user,
                    ["Idempotency-Key": "1"],
                    body: body
                )
                #expect(answer == (isFirst ? .id(1) : replayed(.id(1))))
            }
            for isFirst in [true, false] {
                let answer = try await server.delete(
                    "/v1/attendances/1",
                    as: user,
                    ["Idempotency-Key": "2"]
                )
                #expect(answer == (isFirst ? .noContent : replayed(.noContent)))
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `covers the tasks of Todo, with the token anywhere`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let fields: KeyValuePairs = ["Idempotency-Key": Self.key]
            let token = "authentication_token=\(account.token)"
            let first = try await server.post(
                "/v1/tasks.json",
                fields,
                body: token + "&task[title]=a"
            )
            let again = try await server.post(
                "/v1/tasks?\(token)",
                fields,
                body: "task%5Btitle%5D=a"
            )
            let other = try await server.post(
                "/v1/tasks",
                fields,
                body: token + "&task[title]=b"
            )
            let malformed = try await server.post("/v1/tasks", ["Idempotency-Key": "a b"])

            #expect(first.status == 200)
            #expect(again == replayed(first))
            #expect(
                other
                    == .json(
                        422,
                        #"{"Idempotency-Key":["has already been used for a different request"]}"#
                    )
            )
            #expect(
                malformed
                    == .json(
                        400,
                        #"{"status":"400","error":"Idempotency-Key must be 1 to 255 printable "#
                            + #"characters, such as a UUID."}"#
                    )
            )
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["a"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `covers apps without sign-in if the key is long`(driver: Driver) async throws {
        try await withServer(driver) { server in
            for key in ["1234567890123456", Self.key] {
                for _ in 1...2 {
                    let fields: KeyValuePairs = ["Idempotency-Key": key]
                    let checkin = try await server.post("/api/checkins", fields, body: "{}")
                    #expect(checkin.status == 200 && checkin.body.isEmpty)
                    _ = try await server.get("/my_tasks/add_task.php?name=a&taskID=1", fields)
                }
            }
            let last = try await server.get(
                "/my_tasks/add_task.php?name=a&taskID=1",
                ["Idempotency-Key": Self.key]
            )

            #expect(last.fields["idempotent-replayed"] == "true")
            #expect(last.body.contains("<integer>1</integer>") || last.body.contains(">1<"))
            #expect(try server.rows("SELECT count(*) FROM checkins") == ["3"])
            #expect(try server.rows("SELECT count(*) FROM shared_tasks") == ["3"])
            #expect(try server.rows(Self.keys) == ["2"])
        }
    }
}
