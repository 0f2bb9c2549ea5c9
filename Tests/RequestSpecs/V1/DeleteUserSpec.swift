import Support
import Testing

/// `DELETE /v1/users/me` deletes all that the token's user has stored.
@Suite struct DeleteUserSpec {
    private static let tables: StaticString = """
        SELECT json_array(
            (SELECT json_group_array(json_array(id, owner_id)) FROM events),
            (SELECT json_group_array(json_array(event_id, user_id)) FROM attendances),
            (SELECT json_group_array(json_array(id, NOT EXISTS (
                SELECT 1 FROM user_tokens WHERE user_id = users.id))) FROM users),
            (SELECT count(*) FROM invitations)
        )
        """

    @Test(arguments: Driver.allCases)
    func `deletes the user's events, attendances, codes and token`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (user, other) = (try await server.signUp(), try await server.signUp())
            let own = try await server.createEvent(by: user)
            let foreign = try await server.createEvent(by: other)
            let hidden = try await server.createEvent(by: user, ["visibility": #""private""#])
            _ = try await server.post("/v1/events/\(hidden)/invitation", as: user)
            for event in [own, foreign] {
                try await server.attend(event, as: user)
                try await server.attend(event, as: other)
            }

            let answer = try await server.delete("/v1/users/me", as: user)

            #expect(answer == .noContent)
            #expect(try server.rows(Self.tables) == ["[[[2,2]],[[2,2]],[[1,1],[2,0]],0]"])
            #expect(try await server.get("/v1/events/\(own)") == .notFound)
            #expect(try await server.get("/v1/events/\(hidden)", as: user) == .notFound)
            let found = try await server.get("/v1/events?sort=id&fields=id")
            #expect(found.body == "{\"events\":[{\"id\":2}],\"next\":null}\n")
        }
    }

    @Test(arguments: Driver.allCases)
    func `makes the token unknown, and a new user of the same device`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp(device: "phone 1")
            let device = TestUser(id: 1, token: "phone 1")
            try await server.createEvent(by: device)

            _ = try await server.delete("/v1/users/me", as: device)
            let answers = [
                try await server.delete("/v1/users/me", as: device),
                try await server.post("/v1/events", as: device, body: eventJSON()),
                try await server.get("/v1/users/me", as: device),
            ]

            #expect(answers == [.unauthorized, .unauthorized, .unauthorized])
            let next = try await server.signUp(device: "phone 1")
            #expect(next == .ok(#"{"device_token":"phone 1","id":2}"#))
            #expect(
                try await server.get("/v1/users/me", as: device)
                    == .found(#"{"id":2,"events":0,"attendances":0}"#)
            )
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token, and deletes nothing`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            #expect(try await server.delete("/v1/users/me", headers) == .unauthorized)
            #expect(try server.rows(Self.tables) == ["[[[1,1]],[],[[1,0]],0]"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `accepts the token only in the headers of apps`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answers = [
                try await server.delete("/v1/users/me", ["Authorization": "Bearer \(user.token)"]),
                try await server.delete("/v1/users/me?tb-auth-token=\(user.token)"),
            ]

            #expect(answers == [.unauthorized, .unauthorized])
            #expect(try await server.delete("/v1/users/me", as: user) == .noContent)
        }
    }
}
