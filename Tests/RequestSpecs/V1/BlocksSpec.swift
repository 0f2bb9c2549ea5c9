import Model
import Settings
import Support
import Testing

/// `/v1/users/me/blocks` keeps the events of other users from a user.
@Suite struct BlocksSpec {
    @Test(arguments: Driver.allCases)
    func `blocks the owner of an event, and reports it`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            let event = try await server.createEvent(by: owner)
            try await server.attend(event, as: user)

            let answer = try await server.post(
                "/v1/users/me/blocks",
                as: user,
                body: #"{"event":{"id":1}}"#
            )

            #expect(answer == .id(owner.id))
            #expect(try await server.get("/v1/events/1", as: user) == .notFound)
            #expect(try await server.get("/v1/events/1").status == 200)
            #expect(
                try server.rows("SELECT json_array(user_id, blocked_id) FROM blocks") == ["[2,1]"]
            )
            #expect(try server.rows("SELECT count(*) FROM attendances") == ["0"])
            #expect(
                try server.rows("SELECT json_array(kind, record_id, reason) FROM reports")
                    == [#"[1,1,"blocked"]"#]
            )
            let again = try await server.post(
                "/v1/users/me/blocks",
                as: user,
                body: #"{"event":{"id":1},"reason":"spam"}"#
            )
            #expect(again == .id(owner.id))
            let list = try await server.get("/v1/users/me/blocks", as: user)
            #expect(list.status == 200)
            #expect(list.body.hasPrefix(#"{"count":1,"blocks":[{"user":{"id":1},"created_at":"20"#))
            let attending = try await server.post(
                "/v1/attendances",
                as: user,
                body: #"{"event":{"id":1}}"#
            )
            #expect(attending == .notFound)

            #expect(try await server.delete("/v1/users/me/blocks/1", as: user) == .noContent)

            #expect(try await server.delete("/v1/users/me/blocks/1", as: user) == .notFound)
            #expect(try await server.get("/v1/events/1", as: user).status == 200)
            #expect(
                try await server.get("/v1/users/me/blocks", as: user)
                    == .found(#"{"count":0,"blocks":[]}"#)
            )
        }
    }

    @Test func `checks in the order of the contract`() async throws {
        try await withServer(.inProcess, configure: { $0.storageLimits.blocks = 1 }) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            let other = try await server.signUp()
            let hidden = try await server.createEvent(by: owner)
            try await server.perform(.hide, .event(hidden))
            let stranger = TestUser(id: 9, token: "00000000-1111-2222-3333-444444444444")
            func block(_ body: String, as user: TestUser?) async throws -> Answer {
                try await server.post("/v1/users/me/blocks", as: user, body: body)
            }

            #expect(try await block("{", as: nil) == .unauthorized)
            #expect(try await block("{", as: stranger).status == 400)
            #expect(try await block("user[id]=1&reason=x", as: stranger).status == 422)
            #expect(try await block("user[id]=1", as: stranger) == .unauthorized)
            #expect(try await block("", as: stranger) == .unauthorized)
            for body in ["", "user[id]=99", "user[id]=x", "event[id]=1", "event[id]=99"] {
                #expect(try await block(body, as: user) == .notFound, "\(body)")
            }
            #expect(
                try await block("user[id]=\(user.id)", as: user) == .invalid("User is yourself")
            )
            #expect(try await block("user[id]=\(owner.id)", as: user) == .id(owner.id))
            #expect(
                try await block("user[id]=\(other.id)", as: user)
                    == .invalid("Blocks are too many (maximum is 1)")
            )
            for answer in [
                try await server.get("/v1/users/me/blocks"),
                try await server.get("/v1/users/me/blocks", as: stranger),
                try await server.delete("/v1/users/me/blocks/1"),
                try await server.delete("/v1/users/me/blocks/1", as: stranger),
            ] {
                #expect(answer == .unauthorized)
            }
        }
    }

    @Test func `blocks without a report beyond the limits`() async throws {
        try await withServer(.inProcess, configure: { $0.storageLimits.openReports = 1 }) {
            server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            let other = try await server.signUp()
            try await server.createEvent(by: owner)
            _ = try await server.post("/v1/events/1/reports", as: other, body: "reason=spam")

            let answer = try await server.post(
                "/v1/users/me/blocks",
                as: user,
                body: "user[id]=\(owner.id)"
            )

            #expect(answer == .id(owner.id))
            #expect(try server.rows("SELECT count(*) FROM reports") == ["1"])
            #expect(try server.rows("SELECT count(*) FROM blocks") == ["1"])
        }
    }
}
