import Support
import Testing

/// Tokens that the operator has revoked.
@Suite struct RevokedTokenSpec {
    @Test(arguments: Driver.allCases)
    func `are unknown from the next request on`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)

            try await server.revokeToken(of: user)

            let answers = [
                try await server.post("/v1/events", as: user, body: eventJSON()),
                try await server.patch("/v1/events/1", as: user, body: "name=a"),
                try await server.put("/v1/events/1", as: user, body: eventJSON()),
                try await server.post("/v1/attendances", as: user, body: "event[id]=1"),
                try await server.delete("/v1/attendances/1", as: user),
                try await server.delete("/v1/events/1", as: user),
                try await server.get("/v1/users/me", as: user),
                try await server.get(
                    "/v1/users/me",
                    ["Authorization": "Bearer \(user.token)"]
                ),
                try await server.get("/v1/events.json?owner=me", as: user),
                try await server.get("/v1/events.csv?attendee=me", as: user),
            ]
            #expect(answers == Array(repeating: .unauthorized, count: 10))
            #expect(
                try server.rows("SELECT json_array(id, name, owner_id) FROM events")
                    == [#"[1,"Best event OF ALL TIME!",1]"#]
            )
            #expect(try server.rows("SELECT id FROM attendances") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `sign up another user if a device brings them again`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp(device: "phone 1")
            let device = TestUser(id: 1, token: "phone 1")
            try await server.createEvent(by: device)

            try await server.revokeToken(of: device)
            let answer = try await server.signUp(device: "phone 1")

            #expect(answer == .ok(#"{"device_token":"phone 1","id":2}"#))
            #expect(try await server.delete("/v1/events/1", as: device) == .forbidden)
            try await server.createEvent(by: device)
            #expect(try server.rows("SELECT owner_id FROM events ORDER BY id") == ["1", "2"])
        }
    }
}
