import Foundation
import HTTP
import Rules
import Settings
import Support
import Testing

/// GET /v1/changes/stream sends what changes as it happens.
@Suite struct ChangeStreamSpec {
    private static let region = "/v1/changes/stream?lat=37.8&lon=-122.4&radius=5"

    private static func block(_ name: String, _ cursor: String) -> String {
        "event: \(name)\nid: \(cursor)\ndata: {\"cursor\":\"\(cursor)\"}\n\n"
    }

    private static func event(_ name: String, _ cursor: String, _ json: String) -> String {
        let id = json.split(separator: #""id":"#)[1].prefix { $0.isNumber }
        let version = ETag.make(for: json.utf8.span).dropFirst().dropLast()
        return "event: change\nid: \(cursor)\ndata: "
            + #"{"op":"\#(name)","type":"event","id":\#(id),"version":"\#(version)","#
            + #""event":\#(json)}"# + "\n\n"
    }

    /// The cursors of the blocks.
    private static func cursors(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    /// What comes next on a stream, without the lengths of its chunks.
    private static func next(
        _ connection: SocketConnection,
        blocks count: Int
    ) throws -> [String] {
        var (received, blocks) = ("", [String]())
        while blocks.count < count {
            received += try connection.receive(until: "\r\n")
            let hasHead = received.hasPrefix("HTTP/1.1 200 OK\r\n")
            let parts = received.components(separatedBy: "\r\n\r\n")
            let chunks = (hasHead ? Array(parts.dropFirst()) : parts).joined(separator: "\r\n\r\n")
            let body = Answer.body(ofChunks: Array("\(chunks)0\r\n\r\n".utf8)[...])
            blocks = (body ?? "").components(separatedBy: "\n\n").dropLast().map { $0 + "\n\n" }
        }
        return blocks
    }

    @Test(arguments: Driver.allCases)
    func `begins with all events of a region`(driver: Driver) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())
            let json = try await server.get("/v1/events/1").body

            let answer = try await server.get(Self.region)

            let cursors = Self.cursors(answer.body)
            try #require(cursors.count == 3)
            let (log, filter) = (cursors[0].prefix(8), cursors[0].suffix(4))
            let number = cursors[2].dropFirst(9).dropLast(5)
            #expect(cursors[0] == "\(log)-\(number).1.0-\(filter)")
            #expect(cursors[1] == "\(log)-\(number).1.1-\(filter)")
            #expect(cursors[2] == "\(log)-\(Int(number) ?? 0)-\(filter)")
            #expect(
                answer
                    == Answer(
                        200,
                        [
                            "content-type": "text/event-stream; charset=utf-8",
                            "x-accel-buffering": "no", "connection": "close",
                        ],
                        body: "retry: 3000\n\n" + Self.block("reset", cursors[0])
                            + Self.event("enter", cursors[1], json)
                            + Self.block("ready", cursors[2])
                    )
            )
            #expect(answer.cacheControl == "no-store, no-transform")
            let head = try await server.send("HEAD", Self.region)
            #expect(head == Answer(200, answer.fields))
            #expect(head.cacheControl == answer.cacheControl && head.contentLength == nil)
        }
    }

    @Test func `measures how long it can't read the log`() async throws {
        try await withServer(.socket) { server in
            let connection = try server.stream("\(Self.region)&since=now")
            _ = try Self.next(connection, blocks: 2)
            let current = "humon_feed_lag_seconds 0"
            #expect(server.streamMetrics.contains(current))

            try server.change("ALTER TABLE feed RENAME TO away")

            while server.streamMetrics.contains(current) { await Task.yield() }
            try server.change("ALTER TABLE away RENAME TO feed")
            while !server.streamMetrics.contains(current) { await Task.yield() }
        }
    }

    @Test func `sends what enters, changes and leaves, and goes on after a cursor`() async throws {
        try await withServer(.socket) { server in
            let user = try await server.signUp()
            let connection = try server.stream("\(Self.region)&since=now")
            _ = try Self.next(connection, blocks: 2)

            try await server.createEvent(by: user)
            let first = try await server.get("/v1/events/1").body
            let enter = try Self.next(connection, blocks: 1)
            let blocks = server.streamMetrics.filter { $0.contains("blocks") }
            #expect(
                blocks == [
                    #"humon_stream_blocks_total{result="due"} 1"#,
                    #"humon_stream_blocks_total{result="sent"} 1"#,
                ]
            )
            let cursor = try #require(Self.cursors(enter[0]).first)
            #expect(enter == [Self.event("enter", cursor, first)])
            _ = try await server.patch("/v1/events/1", as: user, body: "name=b")
            let second = try await server.get("/v1/events/1").body
            let change = try Self.next(connection, blocks: 1)
            let next = try #require(Self.cursors(change[0]).first)
            #expect(change == [Self.event("change", next, second)])
            // Elsewhere, it reaches no reader.
            try await server.createEvent(by: user, ["lat": "-37"])
            _ = try await server.patch("/v1/events/1", as: user, body: "lat=38&lon=10")
            let leave = try Self.next(connection, blocks: 1)
            let end = try #require(Self.cursors(leave[0]).first)
            let data = #"data: {"op":"leave","type":"event","id":1}"#
            #expect(leave == ["event: change\nid: \(end)\n\(data)\n\n"])

            let rest = try await server.get("\(Self.region)&since=now", ["Last-Event-ID": cursor])
            #expect(
                rest.body
                    == "retry: 3000\n\nevent: change\nid: \(end)\n\(data)\n\n"
                    + Self.block("ready", end)
            )
        }
    }

    @Test func `sends the changes of a user's own records`() async throws {
        try await withServer(.socket) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let account = try await server.signUpForTodo()
            let own = try server.stream("/v1/changes/stream?mine=1&since=now", as: owner)
            let attended = try server.stream("/v1/changes/stream?mine=1&since=now", as: guest)
            let tasks = try server.stream(
                "/v1/changes/stream?tasks=1&since=now&authentication_token=\(account.token)"
            )
            for stream in [own, attended, tasks] { _ = try Self.next(stream, blocks: 2) }
            func types(_ blocks: [String]) -> [String] {
                blocks.map { block in
                    let words = block.split(separator: "\"")
                    return "\(words[7]) \(words[3])"
                }
            }

            try await server.createEvent(by: owner, ["visibility": #""private""#])
            #expect(try types(Self.next(own, blocks: 1)) == ["event change"])
            let code = try await server.post("/v1/events/1/invitation", as: owner)
            let secret = code.body.dropFirst(9).dropLast(2)
            _ = try await server.post("/v1/attendances", as: guest, body: "code=\(secret)")
            #expect(try types(Self.next(own, blocks: 1)) == ["attendance change"])
            #expect(try types(Self.next(attended, blocks: 1)) == ["attendance change"])
            _ = try await server.patch("/v1/events/1", as: owner, body: "name=b")
            #expect(try types(Self.next(own, blocks: 1)) == ["event change"])
            #expect(try types(Self.next(attended, blocks: 1)) == ["attendance change"])
            _ = try await server.createTask("a", account)
            #expect(try types(Self.next(tasks, blocks: 1)) == ["task change"])
        }
    }

    @Test func `begins again after a block, and ends with the token`() async throws {
        try await withServer(.socket, configure: { $0.streams.heartbeatSeconds = 1 }) { server in
            let (owner, viewer) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)
            let stream = try server.stream(Self.region, as: viewer)
            let first = try Self.next(stream, blocks: 4)
            #expect(first[2].hasPrefix("event: change\n"))

            _ = try await server.post("/v1/users/me/blocks", as: viewer, body: "user[id]=1")
            let blocks = try Self.next(stream, blocks: 2)
            let names = blocks.map { $0.prefix(13) }
            #expect(names == ["event: reset\n", "event: ready\n"])
            try await server.revokeToken(of: viewer)
            var last = [""]
            while !last[0].hasPrefix("event") { last = try Self.next(stream, blocks: 1) }
            #expect(last == ["event: end\ndata: {\"message\":\"Unauthorized\"}\n\n"])
        }
    }

    @Test func `is closed after a merge, and begins again as the other user`() async throws {
        try await withServer(.socket, configure: { $0.streams.heartbeatSeconds = 1 }) { server in
            _ = try await server.post("/v1/sessions", body: "id_token=apple:ana")
            let user = try await server.signUp()
            let path = "/v1/changes/stream?mine=1"
            let stream = try server.stream(path, as: user)
            let cursor = Self.cursors(try Self.next(stream, blocks: 3)[2])

            let merge = "id_token=apple:ana&merge=true"
            _ = try await server.post("/v1/sessions", as: user, body: merge)

            let rest = try stream.receive(until: "0\r\n\r\n")
            #expect(!rest.contains("event: "))
            let again = try await server.get("\(path)&since=\(cursor[0])", as: user)
            #expect(again.body.hasPrefix("retry: 3000\n\nevent: reset\n"))
            let start = Self.cursors(again.body)[0]
            let next = try await server.get("\(path)&since=\(start)", as: user)
            #expect(!next.body.contains("event: reset"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects what it can't stream before it begins`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.streams.address = 0 }) { server in
            let ofPages = try await server.get("/v1/changes/stream?wait=5&limit=3")
            #expect(
                ofPages
                    == .invalid(
                        "Send lat and lon, bbox, within, mine or tasks",
                        "Unknown parameter: wait",
                        "Unknown parameter: limit"
                    )
            )
            let malformed = try await server.get(Self.region, ["Last-Event-ID": "x"])
            #expect(malformed == .invalid("Since is invalid"))
            let foreign = try await server.get("/v1/changes/stream?mine=1")
            #expect(foreign == .unauthorized)
            let body = #"{"message":"Too many streams are open. Try again in a moment."}"#
            let tooMany = try await server.get(Self.region)
            #expect(tooMany == .json(503, body, ["retry-after": "5"]))
        }
    }
}
