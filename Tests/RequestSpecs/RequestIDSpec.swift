import Support
import Testing

/// The `X-Request-Id` of every answer.
@Suite struct RequestIDSpec {
    @Test(
        arguments: Driver.allCases,
        [
            "a", "0", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "A_z.0:/+=@-",
            String(repeating: "x", count: 128),
        ]
    )
    func `is the client's where that is fit`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/1", ["X-Request-Id": id])

            #expect(answer.requestID == id)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "", "a b", "a\tb", "é", "a\"b", "a;b", "a,b", "<a>", "a\\", "$(a)", "`a`",
            String(repeating: "x", count: 129),
        ]
    )
    func `is another where the client's is not`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/1", ["X-Request-Id": id])

            #expect(Self.isNew(answer.requestID))
            #expect(answer.requestID != id)
        }
    }

    @Test(arguments: Driver.allCases)
    func `is on every kind of answer, and never the same`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (user, other) = (try await server.signUp(), try await server.signUp())

            let answers = [
                try await server.post("/v1/events", as: user, body: eventJSON()),
                try await server.get("/v1/events/1"),
                try await server.send("HEAD", "/v1/events/1"),
                try await server.get("/v1/events/1", ["If-None-Match": "*"]),
                try await server.post("/v1/events", as: user, body: "{"),
                try await server.post("/v1/events"),
                try await server.delete("/v1/events/1", as: other),
                try await server.get("/v1"),
                try await server.get("/v1/users"),
                try await server.post("/v1/events", as: user),
                try await server.send("OPTIONS", "/v1/users"),
                try await server.delete("/v1/events/1", as: user),
                try await server.send(TestRequest("GET", "/", wire: "GET / HTTP/1.1\r\n\r\n")),
            ]

            #expect(
                answers.map(\.status)
                    == [200, 200, 200, 304, 400, 401, 403, 404, 405, 422, 204, 204, 400]
            )
            #expect(answers.allSatisfy { Self.isNew($0.requestID) })
            #expect(Set(answers.map(\.requestID)).count == answers.count)
        }
    }

    @Test(arguments: Driver.allCases)
    func `is on errors what the client said`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let mine: KeyValuePairs = ["X-Request-Id": "mine"]

            let answers = [
                try await server.post("/v1/events", mine), try await server.get("/v1", mine),
                try await server.get("/v1/users", mine),
                try await server.get("/v1/events/nearests", mine),
            ]

            #expect(answers.map(\.status) == [401, 404, 405, 422])
            #expect(answers.map(\.requestID) == ["mine", "mine", "mine", "mine"])
        }
    }

    /// Whether it is an id of the server's making.
    private static func isNew(_ id: String) -> Bool {
        id.utf8.count == 12 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }
}
