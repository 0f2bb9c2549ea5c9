import Model
import Settings
import Support
import Testing

/// `/v1/users/me/devices`, `/v1/users/me/token` and `/v1/users/me/identities`.
@Suite struct DevicesSpec {
    @Test(arguments: Driver.allCases)
    func `lists, names and ends devices`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/sessions", as: user, body: "id_token=apple:ana")
            let second = try await server.post(
                "/v1/sessions",
                body: "id_token=apple:ana&device_name=iPad"
            )
            let tablet = TestUser(id: 1, token: String(second.body.dropFirst(15).prefix(36)))
            let other = try await server.signUp()

            let list = try await server.get("/v1/users/me/devices", as: user)

            let times = try server.rows("SELECT created_at FROM user_tokens ORDER BY id").count
            #expect(times == 3)
            let pattern = [
                #"\{"devices":\[\{"id":2,"name":"iPad","created_at":"20[^"]*Z","#,
                #""last_seen_on":"20\d\d-\d\d-\d\d","current":false\},\{"id":1,"name":null,"#,
                #""created_at":"20[^"]*Z","last_seen_on":"20[^"]*","current":true\}\]\}"#,
            ].joined()
            #expect(try list.body.wholeMatch(of: Regex(pattern)) != nil, "\(list.body)")
            #expect(
                try await server.patch("/v1/users/me/devices/1", as: tablet, body: "name=phone")
                    == .id(1)
            )
            #expect(
                try await server.patch("/v1/users/me/devices/1", as: other, body: "name=x")
                    == .notFound
            )
            #expect(
                try await server.patch(
                    "/v1/users/me/devices/1",
                    as: user,
                    body: #"{"name":"a\u202eb"}"#
                ) == .invalid("Name is invalid")
            )
            #expect(try await server.delete("/v1/users/me/devices/2", as: other) == .notFound)
            #expect(try await server.delete("/v1/users/me/devices/2", as: user) == .noContent)
            #expect(try await server.get("/v1/users/me", as: tablet) == .unauthorized)
            #expect(
                try await server.delete("/v1/users/me/devices/current", as: user) == .noContent
            )
            #expect(try await server.get("/v1/users/me/devices", as: user) == .unauthorized)
            #expect(try server.rows("SELECT user_id FROM user_tokens") == ["2"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `replaces a token once the new one is used`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let answer = try await server.post("/v1/users/me/token", as: user)
            #expect(answer.status == 200)
            let new = TestUser(id: 1, token: String(answer.body.dropFirst(15).prefix(36)))
            #expect(answer.body == #"{"auth_token":"\#(new.token)","id":1}"#)
            #expect(try await server.get("/v1/users/me", as: user).status == 200)

            #expect(try await server.get("/v1/users/me", as: new).status == 200)

            while try await server.get("/v1/users/me", as: user).status == 200 {
                await Task.yield()
            }
            #expect(try server.rows("SELECT count(*) FROM user_tokens") == ["1"])
            #expect(try await server.get("/v1/users/me", as: new).status == 200)
        }
    }

    @Test func `ends the replaced token when its successor signs out`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            let answer = try await server.post("/v1/users/me/token", as: user)
            let new = TestUser(id: 1, token: String(answer.body.dropFirst(15).prefix(36)))

            #expect(try await server.delete("/v1/users/me/devices/current", as: new) == .noContent)

            #expect(try await server.get("/v1/users/me", as: user) == .unauthorized)
            #expect(try server.rows("SELECT count(*) FROM user_tokens") == ["0"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `adds and removes identities`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (user, other) = (try await server.signUp(), try await server.signUp())
            _ = try await server.post("/v1/sessions", as: user, body: "id_token=apple:ana")
            _ = try await server.post("/v1/sessions", as: other, body: "id_token=apple:eve")
            let path = "/v1/users/me/identities"

            #expect(try await server.post(path, as: user, body: "id_token=google:ana") == .id(3))

            #expect(try await server.post(path, as: user, body: "id_token=google:ana") == .id(3))
            #expect(
                try await server.post(path, as: user, body: "id_token=apple:eve")
                    == .json(409, #"{"message":"This sign-in belongs to another user."}"#)
            )
            #expect(
                try await server.post(path, as: user, body: "id_token=expired")
                    == .invalid("Id token has expired")
            )
            let list = try await server.get(path, as: user).body
            #expect(list.hasPrefix(#"{"identities":[{"id":1,"issuer":"https://apple.example","#))
            #expect(!list.contains("ana"))
            #expect(try await server.delete("\(path)/1", as: other) == .notFound)
            #expect(try await server.delete("\(path)/1", as: user) == .noContent)
            let last = """
                {"message":"This is the user's only sign-in. Add another one first, or delete the \
                account."}
                """
            #expect(try await server.delete("\(path)/3", as: user) == .json(409, last))
            #expect(
                try server.rows("SELECT json_array(user_id, issuer) FROM identities ORDER BY id")
                    == [#"[2,"https://apple.example"]"#, #"[1,"https://google.example"]"#]
            )
        }
    }
}
