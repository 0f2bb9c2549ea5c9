import Support
import Testing

/// `/admin/v1/reports`.
@Suite struct AdminReportsSpec {
    private static let reports: StaticString = """
        SELECT json_array(kind, record_id, reporter_id, outcome, resolved_at IS NOT NULL)
        FROM reports ORDER BY id
        """

    /// The open report of `AdminScene`.
    private static let report =
        #"{"id":1,"reason":"spam","note":null,"at":"T","reporter":{"id":2}"#

    private static func resolve(_ scene: AdminScene, _ body: String) async throws -> Answer {
        try await scene.post("/reports/resolve", body: body)
    }

    @Test(arguments: Driver.allCases)
    func `lists the records with open reports, and the reports of one`(
        driver: Driver
    ) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let body = #"{"reason":"other","note":"Rude"}"#
            _ = try await server.api.post("/v1/users/1/reports", as: scene.users[2], body: body)
            _ = try await server.api.post("/v1/events/1/reports", as: scene.users[2], body: body)

            let list = try await scene.get("/reports")

            #expect(list == .ok(list.body))
            let event =
                #"{"address":null,"ended_at":null,"id":1,"lat":37.8050217,"lon":-122.409155,"#
                + #""name":"Gala","started_at":"T","owner":{"id":1},"created_at":"T","#
                + #""updated_at":"T","reports":2}"#
            let rude = #""reason":"other","note":"Rude","at":"T","reporter":{"id":3}}"#
            #expect(
                list.template == #"{"items":[{"kind":"event","id":1,"since":"T","reporters":2,"#
                    + #""reasons":{"other":1,"spam":1},"latest":{"id":3,\#(rude),"#
                    + #""event":\#(event)},{"kind":"user","id":1,"since":"T","reporters":1,"#
                    + #""reasons":{"other":1},"latest":{"id":2,\#(rude)}],"next":null}"#
            )
            let one = try await scene.get("/reports?event=1")
            #expect(one.template == #"{"items":[{"id":3,\#(rude),\#(Self.report)}],"next":null}"#)
            let user = try await scene.get("/reports?user=1")
            #expect(user.template == #"{"items":[{"id":2,\#(rude)],"next":null}"#)
            #expect(try await scene.get("/reports?event=2") == .ok(#"{"items":[],"next":null}"#))
            let page = try await scene.get("/reports?limit=1")
            let cursor = try #require(page.body.firstMatch(of: /"next":"(\d+\.1\.1)"\}$/))
            let next = try await scene.get("/reports?limit=1&cursor=\(cursor.1)")
            #expect(next.template.hasPrefix(#"{"items":[{"kind":"user","id":1,"#))
            #expect(next.body.hasSuffix(#""next":null}"#))
            for query in ["event=x", "user=0", "event=-1"] {
                #expect(try await scene.get("/reports?\(query)").status == 422, "\(query)")
            }
        }
    }

    @Test(
        arguments: [
            ("dismiss", #"[1,"Gala",0]"#, "dismiss", nil as String?),
            ("hide", #"[1,"Gala",1]"#, "hide", nil),
            ("delete", nil, "delete", nil), ("ban", #"[1,"Gala",4]"#, "ban", "banned"),
        ] as [(String, String?, String, String?)]
    )
    func `closes the reports of an event with an action`(
        action: String,
        event: String?,
        outcome: String,
        ban: String?
    ) async throws {
        for driver in Driver.allCases {
            try await withAdminServer(driver) { server in
                let scene = try await AdminScene(server)
                let body = #"{"event":1,"action":"\#(action)"}"#

                let answer = try await Self.resolve(scene, body)

                #expect(answer == .done(3, #"{"resolved":1}"#))
                #expect(try server.api.rows(Self.reports) == [#"[1,1,2,"\#(outcome)",1]"#])
                let events: StaticString =
                    "SELECT json_array(id, name, hidden) FROM events WHERE id = 1"
                #expect(try server.api.rows(events) == [event].compactMap(\.self))
                let banned: StaticString = "SELECT id FROM users WHERE banned_at IS NOT NULL"
                #expect(try server.api.rows(banned) == (ban == nil ? [] : ["1"]))
                #expect(try await server.audit(1) == ["ana \(action) event 1"])
                #expect(try await Self.resolve(scene, body) == .notFound)
                let log = try server.api.log()
                #expect(log.contains(#""action":"\#(action)","kind":"event","id":"1""#))
                #expect(try await scene.post("/actions/3/undo").status == 200)
                #expect(try server.api.rows(events) == [#"[1,"Gala",0]"#])
                #expect(try server.api.rows(banned) == [])
                #expect(try server.api.rows(Self.reports) == ["[1,1,2,null,0]"])
            }
        }
    }

    @Test(arguments: Driver.allCases, ["dismiss", "ban"])
    func `closes the reports of a user with an action`(
        driver: Driver,
        action: String
    ) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            for user in scene.users.dropFirst() {
                _ = try await server.api.post("/v1/users/1/reports", as: user, body: "reason=other")
            }

            let answer = try await Self.resolve(scene, #"{"user":1,"action":"\#(action)"}"#)

            #expect(answer == .done(3, #"{"resolved":2}"#))
            let banned = try server.api.rows("SELECT id FROM users WHERE banned_at IS NOT NULL")
            #expect(banned == (action == "ban" ? ["1"] : []))
            #expect(try await server.audit(1) == ["ana \(action) user 1"])
        }
    }

    @Test(
        arguments: [
            (
                #"{"event":1,"action":"show"}"#, 422,
                "Action must be one of hide, delete, ban, dismiss"
            ),
            (#"{"event":1}"#, 422, "Action must be one of hide, delete, ban, dismiss"),
            (#"{"event":1,"action":null}"#, 422, "Action must be one of"),
            (#"{"user":1,"action":"hide"}"#, 422, "Action must be one of ban, dismiss"),
            (#"{"user":1,"action":"delete"}"#, 422, "Action must be one of ban, dismiss"),
            (#"{"action":"hide"}"#, 400, "Send either event or user, with an id."),
            (#"{"event":1,"user":1,"action":"ban"}"#, 400, "Send either event or user"),
            (#"{"user":"x","action":"ban"}"#, 422, "User is invalid"),
            (#"{"event":"x","action":"hide"}"#, 422, "Event is invalid"),
            (#"{"event":2,"action":"hide"}"#, 404, "Not Found"),
            (#"{"user":9,"action":"ban"}"#, 404, "Not Found"), ("", 400, "message"),
            ("[1]", 400, "message"),
        ]
    )
    func `rejects what it can't do`(body: String, status: Int, text: String) async throws {
        try await withAdminServer(.inProcess) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()

            let answer = try await Self.resolve(scene, body)

            #expect(answer.status == status && answer.body.contains(text), "\(answer)")
            #expect(try await scene.state() == state)
        }
    }
}
