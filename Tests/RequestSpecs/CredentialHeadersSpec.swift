import Support
import Testing

/// Headers with credentials that a request has more than once.
@Suite struct CredentialHeadersSpec {
    private static let tokenNames = ["tb-device-token", "tb-auth-token", "X-DEVICE-TOKEN"]

    private static func conflict(_ name: String) -> String {
        "The request has two \(name.lowercased()) headers with different values. Send one of them."
    }

    @Test(arguments: Driver.allCases, tokenNames)
    func `are rejected where tokens of one header differ, and nothing changes`(
        driver: Driver,
        name: String
    ) async throws {
        try await withServer(driver) { server in
            let (owner, other) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)
            for values in [[owner.token, other.token], [other.token, owner.token], ["", "a"]] {
                let lines = values.map { "\(name): \($0)\r\n" }.joined()
                let requests = [
                    TestRequest("POST", "/v1/events", lines: lines, body: eventJSON()),
                    TestRequest("PATCH", "/v1/events/1", lines: lines, body: "name=a"),
                    TestRequest("PUT", "/v1/events/1", lines: lines, body: eventJSON()),
                    TestRequest("DELETE", "/v1/events/1", lines: lines),
                    TestRequest("POST", "/v1/attendances", lines: lines, body: "event[id]=1"),
                    TestRequest("DELETE", "/v1/attendances/1", lines: lines),
                    TestRequest("GET", "/v1/users/me", lines: lines),
                    TestRequest("GET", "/v1/events.json?owner=me", lines: lines),
                    TestRequest("GET", "/v1/events.ics?attendee=me", lines: lines),
                ]

                for request in requests {
                    let answer = try await server.send(request)
                    #expect(answer == .malformed(Self.conflict(name)), "\(request.target)")
                }
            }
            #expect(try server.rows("SELECT owner_id FROM events") == ["1"])
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
            #expect(try server.rows("SELECT id FROM attendances") == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `are rejected also in a header that another comes before`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let lines =
                "tb-device-token: \(user.token)\r\ntb-auth-token: a\r\ntb-auth-token: b\r\n"

            let answer = try await server.send(
                TestRequest("POST", "/v1/events", lines: lines, body: eventJSON())
            )

            #expect(answer == .malformed(Self.conflict("tb-auth-token")))
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(arguments: Driver.allCases, tokenNames)
    func `are accepted where they are equal`(driver: Driver, name: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let lines = String(repeating: "\(name): \(user.token)\r\n", count: 3)

            let answer = try await server.send(
                TestRequest("POST", "/v1/events", lines: lines, body: eventJSON())
            )

            #expect(answer == .id(1))
        }
    }

    @Test(
        arguments: Driver.allCases,
        ["tb-app-secret", "X-APP-SECRET", "tb-device-token", "X-DEVICE-TOKEN"]
    )
    func `are rejected where they sign up`(driver: Driver, name: String) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let isSecret = name.lowercased().contains("secret")
            let first = isSecret ? TestServer.secret : "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51"
            let other = isSecret ? "another" : "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c52"
            for rest in ["", "tb-app-secret: \(TestServer.secret)\r\n"] {
                for values in [[first, other], [other, first]] {
                    let lines = values.map { "\(name): \($0)\r\n" }.joined() + rest
                    let answer = try await server.send(
                        TestRequest("POST", "/v1/users", lines: lines)
                    )
                    #expect(answer == .malformed(Self.conflict(name)))
                }
            }
            #expect(try server.rows("SELECT id FROM users") == [])

            let lines = String(repeating: "\(name): \(first)\r\n", count: 2)
            let answer = try await server.send(TestRequest("POST", "/v1/users", lines: lines))
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: Driver.allCases)
    func `are rejected where Todo's tokens differ`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (ana, eva) = (
                try await server.signUpForTodo("ana@example.com"),
                try await server.signUpForTodo("eva@example.com")
            )
            let lines =
                "Authorization: Bearer \(ana.token)\r\nAuthorization: Bearer \(eva.token)\r\n"
            let message = Self.conflict("authorization")
            let conflict = Answer.json(400, #"{"status":"400","error":"\#(message)"}"#)
            let query = "?authentication_token=\(ana.token)"

            for target in ["/v1/tasks", "/v1/tasks/1", "/v1/tasks" + query] {
                let answer = try await server.send(TestRequest("GET", target, lines: lines))
                #expect(answer == conflict, "\(target)")
            }
            let signOut = try await server.send(
                TestRequest("DELETE", "/v1/users/sign_out", lines: lines)
            )
            #expect(signOut == conflict)
            #expect(try server.rows("SELECT account_id FROM sessions ORDER BY 1") == ["1", "2"])

            let equal = String(repeating: "Authorization: Bearer \(ana.token)\r\n", count: 2)
            let answer = try await server.send(TestRequest("GET", "/v1/tasks", lines: equal))
            #expect(answer == .found("[]"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `are rejected if two Authorization headers differ`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let lines = ["Bearer \(user.token)", "Bearer b"].map { "Authorization: \($0)\r\n" }
                .joined()

            let answer = try await server.send(
                TestRequest("GET", "/v1/users/me", lines: lines)
            )
            #expect(answer == .malformed(Self.conflict("authorization")))

            // A token header takes precedence, so the values of Authorization don't matter.
            let other = try await server.send(
                TestRequest(
                    "GET",
                    "/v1/users/me",
                    lines: lines + "tb-auth-token: \(user.token)\r\n"
                )
            )
            #expect(other == .found(#"{"id":1,"events":0,"attendances":0}"#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `do not matter where nobody reads them`(driver: Driver) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answer = try await server.send(
                TestRequest(
                    "GET",
                    "/v1/events/1",
                    lines: "tb-auth-token: a\r\ntb-auth-token: b\r\n"
                )
            )

            #expect(answer.status == 200)
        }
    }
}
