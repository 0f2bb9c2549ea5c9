import Support
import Testing

/// `/admin/v1/users`.
@Suite struct AdminUsersSpec {
    private static let times = #""created_at":"T","banned_at":null"#

    @Test(arguments: Driver.allCases)
    func `lists users in pages, newest first, and shows one`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            _ = try await scene.post("/users/3/ban")
            _ = try await server.api.patch("/v1/users/me", as: scene.users[0], body: "name=Zoe")
            try await server.api.attend(1, as: scene.users[1])
            _ = try await server.api.post(
                "/v1/users/me/blocks",
                as: scene.users[1],
                body: "user[id]=3"
            )

            let page = try await scene.get("/users?limit=2")

            let banned = #"{"id":3,"created_at":"T","banned_at":"T"}"#
            #expect(page == .ok(page.body))
            #expect(page.template == #"{"items":[\#(banned),{"id":2,\#(Self.times)}],"next":"2"}"#)
            let rest = try await scene.get("/users?limit=2&cursor=2")
            #expect(rest.template == #"{"items":[{"id":1,\#(Self.times)}],"next":null}"#)
            let list = try await scene.get("/users?banned=yes")
            #expect(list.template == #"{"items":[\#(banned)],"next":null}"#)
            for value in ["no", "maybe"] {
                let answer = try await scene.get("/users?banned=\(value)")
                #expect(answer == .invalid("Banned is invalid"))
            }
            #expect(try await scene.get("/users?cursor=x") == .invalid("Cursor is invalid"))
            let user = try await scene.get("/users/1")
            #expect(user == .ok(user.body))
            #expect(
                user.template == #"{"id":1,\#(Self.times),"name":"Zoe","events":2,"#
                    + #""attendances":0,"reports_about":0,"reports_by":0,"blocked_by":0}"#
            )
            let guest = try await scene.get("/users/2")
            #expect(guest.body.contains(#""attendances":1,"reports_about":0,"reports_by":2"#))
            #expect(try await scene.get("/users/3").body.hasSuffix(#""blocked_by":1}"#))
            for id in ["9", "x", "0"] { #expect(try await scene.get("/users/\(id)") == .notFound) }
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows which user a merge has kept`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            try server.api.change("UPDATE users SET deleted_at = 5, merged_into = 1 WHERE id = 3")

            let merged =
                #"{"id":3,\#(Self.times),"deleted_at":"T","merged_into":1"#
            #expect(
                try await scene.get("/users?limit=1").template
                    == #"{"items":[\#(merged)}],"next":"3"}"#
            )
            #expect(try await scene.get("/users/3").template.hasPrefix(merged + ","))
        }
    }

    @Test(arguments: Driver.allCases)
    func `bans and unbans a user`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let counts =
                #","events":2,"attendances":0,"reports_about":0,"reports_by":0,"blocked_by":0}"#
            let hidden: StaticString = "SELECT hidden FROM events ORDER BY id"

            for action in ["3", nil] {
                let answer = try await scene.post("/users/1/ban")
                let body = #"{"id":1,"created_at":"T","banned_at":"T"\#(counts)"#
                #expect(answer.status == 200 && answer.template == body, "\(answer)")
                #expect(answer.fields["humon-action"] == action)
            }
            #expect(try server.api.rows(hidden) == ["4", "4"])
            let post = try await server.api.post(
                "/v1/events",
                as: scene.users[0],
                body: eventJSON()
            )
            #expect(post.status == 403)
            for action in ["4", nil] {
                let answer = try await scene.post("/users/1/unban")
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.template == #"{"id":1,\#(Self.times)\#(counts)"#)
                #expect(answer.fields["humon-action"] == action)
            }
            #expect(try server.api.rows(hidden) == ["0", "0"])
            #expect(try await server.audit(2) == ["ana unban user 1", "ana ban user 1"])
            for action in ["ban", "unban", "revoke"] {
                #expect(try await scene.post("/users/9/\(action)") == .notFound, "\(action)")
            }
            #expect(try await scene.post("/actions/3/undo").status == 409)
            #expect(try await scene.post("/actions/4/undo").status == 200)
            #expect(try server.api.rows(hidden) == ["4", "4"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `ends the tokens of a user`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)

            let answer = try await scene.post("/users/1/revoke")

            #expect(answer.status == 200 && answer.fields["humon-action"] == nil)
            #expect(answer.template.hasPrefix(#"{"id":1,\#(Self.times),"#))
            #expect(try server.api.rows("SELECT id FROM user_tokens WHERE user_id = 1") == [])
            #expect(try await server.api.get("/v1/users/me", as: scene.users[0]) == .unauthorized)
            #expect(try await server.api.get("/v1/users/me", as: scene.users[1]).status == 200)
            #expect(try await server.audit(1) == ["ana revoke user 1"])
            let log = try server.api.log()
            #expect(log.contains(#""actor":"ana","action":"revoke","kind":"user","id":"1""#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `deletes a user with all data`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)

            let answer = try await scene.send("DELETE", "/users/1")

            #expect(answer == .noContent)
            #expect(try server.api.rows("SELECT id FROM events") == [])
            let user =
                "SELECT json_array(deleted_at IS NULL, name) FROM users WHERE id = 1"
                as StaticString
            #expect(try server.api.rows(user) == ["[0,null]"])
            #expect(try await server.api.get("/v1/users/me", as: scene.users[0]) == .unauthorized)
            #expect(try await server.audit(1) == ["ana delete user 1"])
            #expect(try await scene.get("/actions?limit=1").body.contains(#""can_undo":false"#))
            #expect(try await scene.post("/actions/3/undo").status == 409)
            #expect(try await scene.send("DELETE", "/users/9") == .notFound)
        }
    }
}
