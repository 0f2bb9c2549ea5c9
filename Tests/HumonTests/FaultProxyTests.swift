import Foundation
import Support
import Testing

/// `FaultProxy`, which the tests of clients use.
@Suite struct FaultProxyTests {
    /// A test server behind a proxy.
    private struct Scene {
        let server: TestProcess
        let proxy: TestProcess
        private let headers: String

        init(seed: Int = 1) throws {
            server = try TestProcess()
            let target = try #require(server.line["url"] as? String).dropFirst(7)
            proxy = try TestProcess(
                ["--target", "\(target)", "--seed", "\(seed)"],
                of: "FaultProxy"
            )
            let connection = try SocketConnection(port: server.port(of: "url"))
            try connection.send(
                "POST /v1/users HTTP/1.1",
                "host: a\r\ntb-app-secret: test-secret\r\n"
            )
            let user = try connection.receive(answerTo: "POST").body
            headers = "host: a\r\ntb-auth-token: \(user.split(separator: "\"")[3])\r\n"
        }

        func connect(to key: String = "url") throws -> SocketConnection {
            try SocketConnection(port: proxy.port(of: key))
        }

        /// Sends the request that creates an event.
        func create(on connection: SocketConnection, isChunked: Bool = false) throws {
            let body = "name=a&lat=1&lon=2&started_at=2030-01-01T00:00:00Z"
            let type = headers + "content-type: application/x-www-form-urlencoded\r\n"
            let framing = "content-length: \(body.utf8.count)\r\n"
            let chunks = "3\r\n\(body.prefix(3))\r\n2f\r\n\(body.dropFirst(3))\r\n0\r\n\r\n"
            try connection.send(
                "POST /v1/events HTTP/1.1",
                type + (isChunked ? "transfer-encoding: chunked\r\n" : framing),
                isChunked ? chunks : body
            )
        }

        func send(_ line: String, on connection: SocketConnection) throws {
            try connection.send("\(line) HTTP/1.1", headers)
        }

        /// Gives the proxy an order, and returns the response.
        @discardableResult
        func order(_ line: String, _ body: String = "") throws -> Answer {
            let control = try connect(to: "control")
            let length = "host: a\r\ncontent-length: \(body.utf8.count)\r\n"
            try control.send("\(line) HTTP/1.1", length, body)
            return try control.receive(answerTo: "POST")
        }

        /// The records of the requests through the proxy, or of those at the other host.
        func records(_ key: String = "requests") throws -> [[String: Any]] {
            let json = try order("GET /requests").body
            let all = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            return try #require(all?[key] as? [[String: Any]])
        }

        /// The number of events that the server has.
        func events() async throws -> Int {
            try await server.request("GET", "/v1/events?lat=1&lon=2&limit=100")
                .split(separator: "\"started_at\"").count - 1
        }
    }

    /// What a client gets for a POST that creates an event, whether its connection stays open, and
    /// the number of events that this creates.
    private static let cases: [(fault: String, response: String, isKept: Bool, events: Int)] = [
        ("pass", "200", true, 1), ("delay 1", "200", true, 1), ("delay-after 1", "200", true, 1),
        ("double", "200", true, 2), ("trickle", "200", true, 1), ("close-idle", "200", false, 1),
        ("drop-before", "0 bytes", false, 0), ("drop-after", "0 bytes", false, 1),
        ("cut 20", "20 bytes", false, 1), ("cut 9999", "200", false, 1),
        ("429 7", #"429 7 {"message":"429 7"}"#, true, 0),
        ("503 0", #"503 0 {"message":"503 0"}"#, true, 0),
        ("408", #"408 {"message":"408"}"#, true, 0), ("500", #"500 {"message":"500"}"#, true, 0),
        ("502", #"502 {"message":"502"}"#, true, 0), ("504", #"504 {"message":"504"}"#, true, 0),
        ("redirect", "301", true, 0), ("empty", "200", true, 0), ("html", "200", true, 0),
        ("html-404", "404 <!doctype", true, 0),
    ]

    @Test func `applies each fault once`() async throws {
        let scene = try Scene()
        for (fault, expected, isKept, events) in Self.cases {
            let before = try await scene.events()
            try scene.order("POST /faults", "POST \(fault)\n")
            let connection = try scene.connect()
            try scene.send("GET /v1/events/0", on: connection)
            #expect(try connection.receive(answerTo: "GET").status == 404)
            try scene.create(on: connection)
            var response: String
            do throws(ProtocolError) {
                let answer = try connection.receive(answerTo: "POST")
                response = [
                    "\(answer.status)", answer.fields["retry-after"], answer.body,
                ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
                if fault.hasPrefix("html") { #expect(answer.fields["content-type"] == "text/html") }
                if fault == "empty" { #expect(answer.body == "") }
            } catch {
                #expect(error.message.hasSuffix(" of an answer, then the end of the connection"))
                response = error.message
            }
            #expect(response.hasPrefix(expected), "\(fault)")
            try? scene.send("GET /v1/events/0", on: connection)
            let next = try? connection.receive(answerTo: "GET")
            #expect(next?.status == (isKept ? 404 : nil), "\(fault)")
            #expect(try await scene.events() == before + events, "\(fault)")
            let record = try #require(
                try scene.records().first { $0["method"] as? String == "POST" }
            )
            #expect(record["fault"] as? String == fault)
            #expect(record["forwarded"] as? Bool == (events > 0), "\(fault)")
            #expect(record["status"] as? Int == (events > 0 ? 200 : nil), "\(fault)")
            try scene.order("DELETE /requests")
        }
    }

    @Test func `redirects to a host that records the headers`() throws {
        let scene = try Scene()
        try scene.order("POST /faults", "redirect")
        let connection = try scene.connect()
        try scene.send("GET /v1/events?lat=1", on: connection)
        let location = try connection.receive(answerTo: "GET").fields["location"]
        let other = try #require(scene.proxy.line["other"] as? String)
        #expect(location == other + "/v1/events?lat=1")

        let followed = try scene.connect(to: "other")
        try scene.send("GET /v1/events?lat=1", on: followed)
        #expect(try followed.receive(answerTo: "GET").body == "{}")

        let record = try #require(try scene.records("other").first)
        #expect(record["target"] as? String == "/v1/events?lat=1")
        let headers = try #require(record["headers"] as? [String: String])
        #expect(headers.keys.sorted() == ["host", "tb-auth-token"])
        #expect(try scene.records().first?["headers"] as? [String: String] == headers)
    }

    @Test func `passes streams and chunked bodies on as they arrive`() async throws {
        let scene = try Scene()
        let (stream, connection) = (try scene.connect(), try scene.connect())
        try scene.send("GET /v1/changes/stream?lat=1&lon=2&radius=5", on: stream)
        try stream.receiveChunk(with: "event: ready\n")

        try scene.create(on: connection, isChunked: true)
        #expect(try connection.receive(answerTo: "POST").status == 200)

        try stream.receiveChunk(with: "started_at")
        #expect(try await scene.events() == 1)
    }

    @Test func `stalls after some bytes until the client ends`() throws {
        let scene = try Scene()
        try scene.order("POST /faults", "trickle-stall 15")
        let connection = try scene.connect()
        try scene.send("GET /v1/events/0", on: connection)
        #expect(try connection.receive(until: " No") == "HTTP/1.1 404 No")
        // Anything that the client sends ends the stall, too.
        try connection.send(Array("a".utf8))
        #expect(throws: ProtocolError.self) { try connection.receive(until: "t") }
    }

    @Test func `makes the same random faults with the same seed`() throws {
        let faults = try [1, 1, 2].map { seed in
            let scene = try Scene(seed: seed)
            #expect(scene.proxy.line["seed"] as? Int == seed)
            try scene.order("POST /random?percent=60")
            for _ in 0..<30 {
                let connection = try scene.connect()
                try scene.send("GET /v1/events/0", on: connection)
                _ = try? connection.receive(answerTo: "GET")
            }
            return try scene.records().map { $0["fault"] as? String ?? "" }
        }

        #expect(faults[0] == faults[1] && faults[0] != faults[2])
        #expect(faults[0].contains("pass") && Set(faults[0]).count > 5)
    }

    @Test func `gets another target, and rejects malformed orders`() throws {
        let scene = try Scene()
        try scene.order("POST /target", "127.0.0.1:1")
        let connection = try scene.connect()
        try scene.send("GET /v1/events/0", on: connection)
        #expect(throws: ProtocolError.self) { try connection.receive(answerTo: "GET") }
        #expect(try scene.records().map { $0["forwarded"] as? Bool } == [false])

        for line in ["bogus", "cut", "cut -1", "cut 60001", "delay a", "pass 1", "POST"] {
            #expect(try scene.order("POST /faults", line).status == 400, "\(line)")
        }
        #expect(try scene.order("POST /random?percent=a").status == 400)
        #expect(try scene.order("POST /other").status == 400)

        try scene.proxy.input.fileHandleForWriting.close()
        #expect(scene.proxy.waitForEnd() == (.exit, 0))
    }
}

extension TestProcess {
    /// The port of a URL in its line.
    fileprivate func port(of key: String) throws -> UInt16 {
        let url = try #require(line[key] as? String)
        return try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
    }
}

extension SocketConnection {
    fileprivate func send(_ line: String, _ headers: String, _ body: String = "") throws {
        try send(Array("\(line)\r\n\(headers)\r\n\(body)".utf8))
    }

    /// Waits for a chunk of a stream that contains a text.
    fileprivate func receiveChunk(with text: String) throws(ProtocolError) {
        while !(try receive(until: "\n\n\r\n").contains(text)) {}
    }
}
