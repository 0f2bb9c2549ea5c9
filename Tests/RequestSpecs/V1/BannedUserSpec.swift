import Model
import Settings
import Support
import Testing

/// A banned user can read and delete, but not publish.
@Suite struct BannedUserSpec {
    @Test(arguments: Driver.allCases)
    func `rejects what a banned user publishes`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.contactEmail = "help@example.com" }) {
            server in
            let (user, other) = (try await server.signUp(), try await server.signUp())
            let event = try await server.createEvent(by: user)
            try await server.createEvent(by: other)
            let attendance = try await server.attend(2, as: user)
            try await server.perform(.ban, .user(user.id))
            let banned = Answer.json(
                403,
                #"{"message":"This user is banned. Contact: help@example.com"}"#
            )

            let answers = [
                try await server.post("/v1/events", as: user, body: eventJSON()),
                try await server.patch("/v1/events/\(event)", as: user, body: #"{"name":"x"}"#),
                try await server.put("/v1/events/\(event)", as: user, body: eventJSON()),
                try await server.post("/v1/attendances", as: user, body: #"{"event":{"id":2}}"#),
                try await server.post("/v1/events/2/reports", as: user, body: "reason=spam"),
            ]

            #expect(answers == Array(repeating: banned, count: 5))
            let invalid = try await server.post("/v1/events", as: user, body: "{}")
            #expect(invalid.status == 422)
            #expect(
                try await server.get("/v1/users/me", as: user)
                    == .found(#"{"id":1,"events":1,"attendances":1,"banned":true}"#)
            )
            #expect(try await server.get("/v1/events/1") == .notFound)
            let own = try await server.get("/v1/events/1", as: user)
            #expect(own.body.hasSuffix(#""owner":{"id":1},"hidden":true}"#))
            let block = try await server.post("/v1/users/me/blocks", as: user, body: "user[id]=2")
            #expect(block == .id(2))
            #expect(
                try await server.delete("/v1/attendances/\(attendance)", as: user).status == 404
            )
            #expect(try await server.delete("/v1/events/1", as: user) == .noContent)
            #expect(try await server.delete("/v1/users/me", as: user) == .noContent)
            #expect(try await server.delete("/v1/users/me", as: user) == .noContent)
            let then = try await server.post("/v1/events", as: user, body: eventJSON())
            #expect(then == banned)
        }
    }

    @Test func `shows hidden events to their owner, who can change them`() async throws {
        try await withServer(.inProcess) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            try await server.perform(.hide, .event(1))

            let found = try await server.get("/v1/events/1", as: user)
            let changed = try await server.patch(
                "/v1/events/1",
                as: user,
                ["If-Match": found.fields["etag"] ?? ""],
                body: #"{"name":"Better"}"#
            )

            #expect(changed == .id(1))
            let own = try await server.get("/v1/events?owner=me", as: user)
            #expect(own.body.contains(#""hidden":true}"#))
            let feature = try await server.get("/v1/events/1.geojson", as: user)
            #expect(feature.body.contains(#""hidden":true"#))
            let fields = try await server.get("/v1/events?owner=me&fields=id,hidden", as: user)
            #expect(fields.body == "{\"events\":[{\"id\":1,\"hidden\":true}],\"next\":null}\n")
            #expect(try await server.get("/v1/events/1.ics", as: user) == .notFound)
            #expect(
                try server.rows("SELECT json_array(name, hidden) FROM events") == [#"["Better",1]"#]
            )
        }
    }
}
