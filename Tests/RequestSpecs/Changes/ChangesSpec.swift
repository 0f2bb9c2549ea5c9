import HTTP
import JSON
import Model
import Support
import Testing

/// GET /v1/changes has what has changed since a cursor.
@Suite struct ChangesSpec {
    private static let region = "/v1/changes?lat=37.8&lon=-122.4&radius=5"

    /// The cursor of an answer.
    private func cursor(_ answer: Answer) throws -> String {
        let json = try JSONParser.parse(answer.body.utf8.span, maximumDepth: 9)
        guard case .object(let page) = json, case .string(let cursor) = page["cursor"] else {
            throw SetupError(answer: answer)
        }
        return cursor
    }

    private func page(_ changes: String, _ cursor: String, more: Bool = false) -> Answer {
        .ok(#"{"changes":[\#(changes)],"cursor":"\#(cursor)","more":\#(more)}"#)
    }

    private func event(_ operation: String, _ id: Int64, _ json: String) -> String {
        let version = ETag.make(for: json.utf8.span).dropFirst().dropLast()
        return #"{"op":"\#(operation)","type":"event","id":\#(id),"version":"\#(version)","#
            + #""event":\#(json)}"#
    }

    @Test(arguments: Driver.allCases)
    func `begins with a region, and goes on with its changes`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let first = try await server.get("/v1/events/1").body

            let begin = try await server.get(Self.region)
            let start = try cursor(begin)
            #expect(begin == page(event("enter", 1, first), start))
            #expect(begin.cacheControl == "no-store" && begin.fields["etag"] == nil)
            #expect(start.hasSuffix(ChangesSpec.digits(of: "lat=37.8&lon=-122.4&radius=5;")))
            #expect(try await server.get("\(Self.region)&since=\(start)") == page("", start))

            try await server.createEvent(by: user, ["lat": "37.81"])
            _ = try await server.patch("/v1/events/1", as: user, body: #"{"lat":38}"#)
            let second = try await server.get("/v1/events/2").body
            let changes = try await server.get("\(Self.region)&since=\(start)")
            let end = try cursor(changes)
            let enter = event("enter", 2, second)
            let leave = #"{"op":"leave","type":"event","id":1}"#
            #expect(changes == page("\(enter),\(leave)", end))
            // A cursor works again and again.
            #expect(try await server.get("\(Self.region)&since=\(start)") == changes)
            let short = try await server.get("\(Self.region)&since=\(start)&limit=1")
            #expect(short == page(enter, try cursor(short), more: true))
            let rest = try await server.get("\(Self.region)&since=\(try cursor(short))")
            #expect(rest == page(leave, end))
            #expect(try await server.get("\(Self.region)&since=now") == page("", end))
            #expect(
                try await server.get("\(Self.region)&since=0")
                    == page(
                        event("enter", 2, second),
                        end
                    )
            )
        }
    }

    private static func digits(of text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return "-" + String(hash, radix: 16).prefix(4)
    }

    @Test(arguments: Driver.allCases)
    func `shows a user's own events and attendances`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            #expect(try await server.get("/v1/changes?mine=1") == .unauthorized)
            let start = try cursor(try await server.get("/v1/changes?mine=1", as: guest))
            try await server.createEvent(by: owner, ["visibility": #""private""#])
            let code = try await server.post("/v1/events/1/invitation", as: owner)
            let secret = code.body.dropFirst(9).dropLast(2)
            _ = try await server.post("/v1/attendances", as: guest, body: "code=\(secret)")
            let json = try await server.get("/v1/events/1", as: guest).body

            let changes = try await server.get("/v1/changes?mine=1&since=\(start)", as: guest)
            let own =
                #"{"op":"change","type":"attendance","id":1,"#
                + #""attendance":{"id":1,"user":{"id":2},"event":\#(json)}}"#
            #expect(changes == page(own, try cursor(changes)))
            let owners = try await server.get("/v1/changes?mine=1", as: owner)
            let others =
                #"{"op":"enter","type":"attendance","id":1,"#
                + #""attendance":{"id":1,"user":{"id":2},"event":{"id":1}}}"#
            #expect(owners == page("\(event("enter", 1, json)),\(others)", try cursor(owners)))
            // Nobody else's cursor.
            let foreign = try await server.get("/v1/changes?mine=1&since=\(start)", as: owner)
            #expect(foreign.status == 410)
            let everybody = try await server.get(Self.region)
            #expect(everybody == page("", try cursor(everybody)))
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows the tasks of an account, with the errors of Todo`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let path = "/v1/changes?tasks=1&authentication_token=\(account.token)"
            let start = try cursor(try await server.get(path))
            _ = try await server.createTask("a", account)
            let task = try await server.get(
                "/v1/tasks/1?authentication_token=\(account.token)"
            ).body
            let version = ETag.make(for: task.utf8.span).dropFirst().dropLast()

            let changes = try await server.get("\(path)&since=\(start)")
            let expected =
                #"{"op":"change","type":"task","id":1,"version":"\#(version)","#
                + #""task":\#(task)}"#
            #expect(changes == page(expected, try cursor(changes)))
            #expect(
                try await server.get("/v1/changes?tasks=1").body
                    == #"{"error":"You need to sign in or sign up before continuing."}"#
            )
            #expect(
                try await server.get("\(path)&limit=0")
                    == .json(422, #"{"Limit":["must be between 1 and 1000"]}"#)
            )
            #expect(
                try await server.get("\(path)&foo=1&limit=0&bar=2")
                    == .json(
                        422,
                        #"{"Limit":["must be between 1 and 1000"],"#
                            + #""Unknown":["parameter: foo","parameter: bar"]}"#
                    )
            )
            let ended = try await server.get("\(path)&since=00000000-0-0000")
            #expect(
                ended.status == 410 && ended.body.hasPrefix(#"{"status":"410","error":"The cur"#)
            )
        }
    }

    @Test(
        arguments: [
            ("", ["Send lat and lon, bbox, within, mine or tasks"]),
            ("tag=a", ["Send lat and lon, bbox, within, mine or tasks"]),
            ("lat=1", ["Lon can't be blank"]),
            ("mine=1&tag=a", ["Mine can't be combined with a region"]),
            ("mine=2", ["Mine must be 1"]),
            ("lat=1&lon=1&radius=201", ["Region is too large (maximum is a circle of 200 km)"]),
            (
                "lat=1&lon=1&radius=201&units=mi",
                ["Region is too large (maximum is a circle of 200 km)"]
            ),
            ("bbox=0,0,3,3", ["Region is too large (maximum is a circle of 200 km)"]),
            ("bbox=-180,89,180,90", ["Region is too large (maximum is a circle of 200 km)"]),
            ("within=0,0,4,0,4,4", ["Region is too large (maximum is a circle of 200 km)"]),
            ("lat=1&lon=1&from=now", ["From must be a fixed time"]),
            ("lat=1&lon=1&to=now", ["To must be a fixed time"]),
            ("lat=1&lon=1&since=x", ["Since is invalid"]),
            ("lat=1&lon=1&since=5e8c01f7-1.4.1-dc76", ["Since is invalid"]),
            ("lat=1&lon=1&since=5e8c01f7-99999999999999999999-dc76", ["Since is invalid"]),
            ("lat=1&lon=1&since=5E8C01F7-1-dc76", ["Since is invalid"]),
            ("lat=1&lon=1&limit=1001", ["Limit must be between 1 and 1000"]),
            ("lat=1&lon=1&wait=61", ["Wait must be between 0 and 60"]),
            ("lat=1&lon=1&wait=-1", ["Wait must be between 0 and 60"]),
            ("lat=1&lon=1&when=today", ["Unknown parameter: when"]),
            ("lat=1&lon=1&series=a", ["Unknown parameter: series"]),
            (
                "lat=1&lon=1&owner=5&sort=id&cursor=x&count=exact",
                ["owner", "sort", "cursor", "count"].map { "Unknown parameter: \($0)" }
            ),
        ]
    )
    func `rejects what no client can follow`(query: String, errors: [String]) async throws {
        try await withServer(.inProcess) { server in
            let answer = try await server.get("/v1/changes?\(query)")
            #expect(answer == .invalid(errors))
        }
    }

    @Test func `leaves out the filters of systems that are off`() async throws {
        try await withServer(.inProcess, systems: [.humon]) { server in
            let answer = try await server.get("/v1/changes?tasks=1")
            #expect(answer == .invalid("Unknown parameter: tasks"))
        }
        try await withServer(.inProcess, systems: [.todo]) { server in
            let answer = try await server.get("/v1/changes?lat=1&lon=1")
            #expect(answer.status == 422)
        }
    }

    @Test func `accepts regions of up to 200 km`() async throws {
        try await withServer(.inProcess) { server in
            for query in [
                "lat=1&lon=1&radius=200", "bbox=0,0,2.5,2.5", "bbox=179,0,-179,1",
                "within=0,0,2,0,2,2", "bbox=-180,-90,180,90&lat=1&lon=1",
            ] {
                let answer = try await server.get("/v1/changes?\(query)")
                #expect(answer.status == 200, "\(query)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `ends the cursors of another log, and of one that was pruned`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let start = try cursor(try await server.get(Self.region))
            let parts = start.split(separator: "-").map(String.init)
            let gone = Answer.json(
                410,
                #"{"message":"The cursor is too old, or of another filter, user or database. "#
                    + #"Start again without since."}"#
            )
            for other in [
                "00000000-\(parts[1])-\(parts[2])", "\(parts[0])-999999-\(parts[2])",
                "\(parts[0])-9999999999999999999-\(parts[2])", "\(parts[0])-\(parts[1])-0000",
            ] {
                #expect(try await server.get("\(Self.region)&since=\(other)") == gone)
            }
            #expect(try await server.get("\(Self.region)0&since=\(start)") == gone)
            #expect(try await server.get("\(Self.region)&since=\(start)", as: user) == gone)
            #expect(try await server.get("\(Self.region)&since=\(start)").status == 200)
            try await server.createEvent(by: user)
            try await server.createEvent(by: user)
            try server.change("DELETE FROM changes WHERE seq = (SELECT min(seq) FROM changes)")
            try server.change("UPDATE feed SET floor = (SELECT min(seq) - 1 FROM changes)")
            #expect(try await server.get("\(Self.region)&since=\(start)").status == 200)
            try server.change(
                "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)"
            )
            try server.change("UPDATE feed SET floor = (SELECT max(seq) - 1 FROM changes)")
            #expect(try await server.get("\(Self.region)&since=\(start)") == gone)
            let end = try cursor(try await server.get(Self.region))
            #expect(try await server.get("\(Self.region)&since=\(end)").status == 200)
            try server.change("INSERT INTO changes (kind, changed_at) VALUES (9, 0)")
            #expect(try await server.get("\(Self.region)&since=\(end)") == gone)
            let events = try await server.get(Self.region)
            try await server.stores.changes.renew()
            let old = try cursor(events)
            #expect(try await server.get("\(Self.region)&since=\(old)") == gone)
            let renewed = try await server.get(Self.region)
            let new = try cursor(renewed)
            #expect(
                new != old && renewed == Answer.json(200, events.body.replacing(old, with: new))
            )
            #expect(try await server.get("\(Self.region)&since=\(new)").status == 200)
            let reasons = server.streamMetrics.filter { $0.contains("new_starts") }
            #expect(
                reasons.map { String($0.split(separator: "reason=").last ?? "") } == [
                    #""behind"} 1"#, #""block"} 0"#, #""owner"} 0"#, #""everything"} 1"#,
                    #""epoch"} 4"#, #""filter"} 3"#,
                ]
            )
        }
    }
}
