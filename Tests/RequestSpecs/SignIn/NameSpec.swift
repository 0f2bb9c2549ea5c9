import Model
import Settings
import Support
import Testing

/// `PATCH /v1/users/me` gives a user a name, which others see.
@Suite struct NameSpec {
    @Test(arguments: Driver.allCases)
    func `shows the name in events and attendances`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)
            let before = try await server.get("/v1/events/1")

            let answer = try await server.patch(
                "/v1/users/me",
                as: user,
                body: #"{"name":"Ana \"é\" \\"}"#
            )

            let name = #""name":"Ana \"é\" \\""#
            let owner = #""owner":{"id":1,\#(name)}"#
            #expect(
                answer == .ok(#"{"id":1,"events":1,"attendances":1,\#(name)}"#)
            )
            #expect(try await server.get("/v1/users/me", as: user).body == answer.body)
            let after = try await server.get("/v1/events/1")
            #expect(after.body == before.body.replacing(#""owner":{"id":1}"#, with: owner))
            #expect(after.fields["etag"] != before.fields["etag"])
            for path in [
                "/v1/events", "/v1/events/nearests?lat=0&lon=0&radius=20000",
                "/v1/events/1.geojson", "/v1/events.geojson", "/v1/events?fields=id,owner",
                "/v1/events/clusters?bbox=-123,37,-122,38&zoom=12",
            ] {
                #expect(try await server.get(path).body.contains(owner), "\(path)")
            }
            for path in ["/v1/events.csv", "/v1/events.ics", "/v1/events.atom", "/v1/events.txt"] {
                #expect(try await !server.get(path).body.contains("é"), "\(path)")
            }
            #expect(
                try await server.get("/v1/events/1/attendances").body
                    == #"{"count":1,"attendances":[{"id":1,"user":{"id":1,\#(name)}}]}"#
            )
            // The ETag of the body with the name allows a change.
            let etag = try #require(after.fields["etag"])
            let change = try await server.send(
                "PATCH",
                "/v1/events/1",
                as: user,
                ["If-Match": etag],
                body: "name=new"
            )
            #expect(change == .id(1))
            #expect(
                try await server.patch("/v1/users/me", as: user, body: #"{"name":"  "}"#).status
                    == 200
            )
            #expect(try await server.get("/v1/events/1").body.contains(#""owner":{"id":1}"#))
            #expect(try server.rows("SELECT name IS NULL FROM users") == ["1"])
        }
    }

    @Test func `rejects what others could not read`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            for (body, expected) in [
                (#"{"name":"a\nb"}"#, Answer.invalid("Name is invalid")),
                (#"{"name":"a\u2028"}"#, .invalid("Name is invalid")),
                (#"{"name":"a\u202e"}"#, .invalid("Name is invalid")),
                (#"{"name":[1]}"#, .invalid("Name is invalid")),
                (
                    "{\"name\":\"\(String(repeating: "é", count: 101))\"}",
                    .invalid("Name is too long (maximum is 100 characters)")
                ),
                ("{}", .json(400, #"{"message":"The body has none of these keys: name"}"#)),
            ] {
                let answer = try await server.patch("/v1/users/me", as: user, body: body)
                #expect(answer == expected, "\(body)")
            }
            #expect(try await server.patch("/v1/users/me", body: "name=a") == .unauthorized)
            #expect(try server.rows("SELECT name IS NULL FROM users") == ["1"])
        }
    }
}
