import Support
import Testing

/// What admins change of events.
@Suite struct AdminEventWritesSpec {
    private static let events: StaticString =
        "SELECT json_array(id, owner_id, name, address, hidden, visibility) FROM events ORDER BY id"

    /// The body with an event of `AdminScene`.
    private static func body(_ id: Int64, _ name: String, _ others: String) -> String {
        #"{"address":null,"ended_at":null,"id":\#(id),"lat":37.8050217,"lon":-122.409155,"#
            + #""name":"\#(name)","started_at":"T","owner":{"id":1}\#(others)}"#
    }

    private static let times = #","created_at":"T","updated_at":"T""#

    @Test(arguments: Driver.allCases)
    func `changes an event as its owner can`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)

            let answer = try await scene.send("PATCH", "/events/1", body: #"{"name":"Dance"}"#)

            let others = Self.times + #","reports":1,"attendances":0"#
            #expect(answer.template == Self.body(1, "Dance", others))
            #expect(answer.status == 200 && answer.fields["humon-action"] == "3")
            #expect(
                try server.api.rows(Self.events) == [
                    #"[1,1,"Dance",null,0,null]"#, #"[2,1,"Ball",null,0,null]"#,
                ]
            )
            #expect(try await server.api.get("/v1/events/1").body.contains(#""name":"Dance""#))
            #expect(try await server.audit(1) == ["ana edit event 1"])
            let action = try await scene.get("/actions?limit=1")
            #expect(action.body.contains(#""before":{"name":"Gala"},"after":{"name":"Dance"}"#))
            let same = try await scene.send("PATCH", "/events/1", body: #"{"name":"Dance"}"#)
            #expect(same.status == 200 && same.fields["humon-action"] == nil)
            #expect(try await scene.post("/actions/3/undo").status == 200)
            #expect(try server.api.rows(Self.events)[0] == #"[1,1,"Gala",null,0,null]"#)
            let log = try server.api.log()
            #expect(log.contains(#""actor":"ana","action":"edit","kind":"event","id":"1""#))
            #expect(!log.contains("Dance"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `changes an event only if it is as the admin saw it`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let seen = try #require(await scene.get("/events/1").fields["etag"])
            func patch(_ name: String, _ tag: String) async throws -> Answer {
                let body = #"{"name":"\#(name)"}"#
                return try await scene.send("PATCH", "/events/1", ["If-Match": tag], body: body)
            }

            let changed = try await patch("Dance", seen)
            let late = try await patch("Rave", seen)

            #expect(changed.status == 200)
            let tag = try #require(changed.fields["etag"])
            #expect(tag != seen)
            #expect(late == .json(412, #"{"message":"Precondition Failed"}"#, ["etag": tag]))
            #expect(try await patch("Rave", "\"a\"").status == 412)
            #expect(try server.api.rows(Self.events)[0] == #"[1,1,"Dance",null,0,null]"#)
            // Reports and guests don't change it.
            try await server.api.attend(1, as: scene.users[1])
            _ = try await server.api.post(
                "/v1/events/1/reports",
                as: scene.users[2],
                body: "reason=spam"
            )
            #expect(try await patch("Rave", tag).status == 200)
            #expect(try await patch("Prom", "*").status == 200)
        }
    }

    @Test(
        arguments: [
            (#"{"name":""}"#, 422, "Name can't be blank"), (#"{"lat":91}"#, 422, "Lat must be"),
            (#"{"name":null}"#, 422, "Name can't be blank"), ("[]", 400, "The body"),
            (#"{"started_at":"x"}"#, 422, "Started at"), ("{}", 400, "The body has none of"),
            (#"{"nme":"a"}"#, 400, "The body has none of these keys: "), ("{", 400, "message"),
            (#"{"hidden":"admin"}"#, 400, "The body has none of these keys: "),
            (#"{"owner":{"id":2},"id":9}"#, 400, "The body has none of these keys: "),
        ]
    )
    func `rejects invalid changes`(body: String, status: Int, text: String) async throws {
        try await withAdminServer(.inProcess) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()

            let answer = try await scene.send("PATCH", "/events/1", body: body)

            #expect(answer.status == status && answer.body.contains(text), "\(answer)")
            #expect(try await scene.state() == state)
        }
    }

    @Test(arguments: Driver.allCases)
    func `changes private and hidden events, and hides them on`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let id = try await server.api.createEvent(
                by: scene.users[0],
                ["visibility": #""private""#]
            )
            _ = try await scene.post("/events/2/hide")

            for id in [2, id] {
                let path = "/events/\(id)"
                let answer = try await scene.send("PATCH", path, body: #"{"address":"Here"}"#)
                #expect(answer.status == 200, "\(answer)")
            }

            #expect(
                try server.api.rows(Self.events).dropFirst() == [
                    #"[2,1,"Ball","Here",1,null]"#,
                    #"[3,1,"Best event OF ALL TIME!","Here",0,"private"]"#,
                ]
            )
            for id in [2, id] {
                #expect(try await server.api.get("/v1/events/\(id)") == .notFound)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `hides and shows an event`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let plain = Self.body(2, "Ball", Self.times + #","attendances":0"#)
            let hidden = Self.body(
                2,
                "Ball",
                #","hidden":"admin""# + Self.times + #","attendances":0"#
            )

            for action in ["3", nil] {
                let answer = try await scene.post("/events/2/hide")
                #expect(answer.status == 200 && answer.template == hidden, "\(answer)")
                #expect(answer.fields["humon-action"] == action)
            }
            #expect(try await server.api.get("/v1/events/2") == .notFound)
            for action in ["4", nil] {
                let answer = try await scene.post("/events/2/show")
                #expect(answer.status == 200 && answer.template == plain, "\(answer)")
                #expect(answer.fields["humon-action"] == action)
            }
            #expect(try await server.api.get("/v1/events/2").status == 200)
            #expect(try await server.audit(2) == ["ana show event 2", "ana hide event 2"])
            #expect(try await scene.post("/users/1/ban").status == 200)
            let banned = try await scene.post("/events/2/show")
            #expect(banned == .conflict("User 1 is banned. Unban the user first."))
            for action in ["hide", "show"] {
                #expect(try await scene.post("/events/9/\(action)") == .notFound)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `deletes an event, and brings it back with its attendances`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            for user in scene.users.dropFirst() { try await server.api.attend(2, as: user) }
            let attendances: StaticString =
                "SELECT json_array(id, user_id, event_id) FROM attendances ORDER BY id"
            let before = try server.api.rows(Self.events) + server.api.rows(attendances)

            let answer = try await scene.send("DELETE", "/events/2")

            #expect(answer == Answer(204, ["humon-action": "3"]))
            #expect(try server.api.rows(Self.events).count == 1)
            #expect(try server.api.rows(attendances) == [])
            #expect(try await server.audit(1) == ["ana delete event 2"])
            #expect(try await scene.send("DELETE", "/events/2") == .notFound)
            #expect(try await scene.get("/events/2") == .notFound)
            let undone = try await scene.post("/actions/3/undo")
            #expect(undone.status == 200 && undone.body.hasSuffix(#""undone_by":4}"#))
            #expect(try server.api.rows(Self.events) + server.api.rows(attendances) == before)
            #expect(try await server.api.get("/v1/events/2").status == 200)
        }
    }
}
