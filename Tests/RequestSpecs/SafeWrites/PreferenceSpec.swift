import HTTP
import Model
import Support
import Testing

/// `Prefer: return=representation` requests the record as the response to a write.
@Suite struct PreferenceSpec {
    private static let prefer: KeyValuePairs = ["Prefer": "return=representation"]

    /// The headers of a response with a record.
    private func fields(_ path: String? = nil, etagOf body: String? = nil) -> [String: String] {
        var fields = ["preference-applied": "return=representation"]
        if let path { fields["content-location"] = path }
        if let body { fields["etag"] = ETag.make(for: body.utf8.span) }
        return fields
    }

    @Test(arguments: Driver.allCases)
    func `returns events as GET does`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let visibility: KeyValuePairs<String, String?> = ["visibility": #""private""#]
            let path = "/v1/events/1"

            let created = try await server.post(
                "/v1/events",
                as: user,
                Self.prefer,
                body: eventJSON(visibility)
            )
            let first = try await server.get(path, as: user)
            let patched = try await server.patch(
                path,
                as: user,
                ["Prefer": #"foo="a,return=minimal", Return = "representation";x=1"#],
                body: #"{"name":"b","visibility":null}"#
            )
            let second = try await server.get(path, as: user)
            let put = try await server.put(path, as: user, Self.prefer, body: eventJSON())
            let third = try await server.get(path, as: user)

            let location = ["location": path].merging(fields(path, etagOf: first.body)) { $1 }
            #expect(created == .json(201, first.body, location))
            #expect(created.cacheControl == "no-store")
            #expect(patched == .json(200, second.body, fields(path, etagOf: second.body)))
            #expect(put == .json(200, third.body, fields(path)))
            #expect(second.body != first.body && third.body != second.body)
        }
    }

    @Test(arguments: [
        "return=minimal", "return=minimal, return=representation", "respond-async", "",
    ])
    func `ignores other preferences`(preference: String) async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let answer = try await server.post(
                "/v1/events",
                as: user,
                ["Prefer": preference],
                body: eventJSON()
            )
            #expect(answer == .id(1))
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns attendances, tasks and check-ins`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let event = try await server.get("/v1/events/1").body
            let attendance = try await server.post(
                "/v1/attendances",
                as: user,
                Self.prefer,
                body: "event[id]=1"
            )
            #expect(
                attendance == .json(200, #"{"id":1,"user":{"id":1},"event":\#(event)}"#, fields())
            )

            let account = try await server.signUpForTodo()
            let token = "?authentication_token=\(account.token)"
            let path = "/v1/tasks/1"
            let created = try await server.post(
                "/v1/tasks" + token,
                Self.prefer,
                body: "task[title]=a"
            )
            let task = try await server.get(path + token).body
            let location = ["location": path].merging(fields(path, etagOf: task)) { $1 }
            #expect(created == .json(201, task, location))
            let patched = try await server.patch(
                path + token,
                Self.prefer,
                body: "task[title]=b"
            )
            let changed = try await server.get(path + token).body
            #expect(patched == .json(200, changed, fields(path, etagOf: changed)))
            let put = try await server.put(path + token, Self.prefer, body: "task[title]=b")
            #expect(
                put.status == 200
                    && put.fields
                        == fields(path).merging(
                            ["content-type": "application/json; charset=utf-8"]
                        ) { $1 }
            )

            let checkin = try await server.post(
                "/api/checkins",
                Self.prefer,
                body: #"{"nombre":"a"}"#
            )
            let list = try await server.get("/api/checkins").body
            #expect(checkin == .json(200, String(list.dropFirst().dropLast()), fields()))
        }
    }

    @Test func `returns the stored record to a repetition`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let fields: KeyValuePairs = [
                "Idempotency-Key": "1", "Prefer": "return=representation",
            ]
            let first = try await server.post("/v1/events", as: user, fields, body: eventJSON())
            _ = try await server.patch("/v1/events/1", as: user, body: #"{"name":"b"}"#)
            let again = try await server.post("/v1/events", as: user, fields, body: eventJSON())

            var expected = first
            expected.fields["idempotent-replayed"] = "true"
            #expect(first.status == 201)
            #expect(again == expected && again.cacheControl == "no-store")
        }
    }
}
