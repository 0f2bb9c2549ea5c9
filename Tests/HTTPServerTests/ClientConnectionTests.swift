import HTTP
import Testing

@Suite struct ClientConnectionTests {
    @Test func `answers one request after another on one connection`() async throws {
        try await withServer { server in
            let client = try server.connect()

            for path in ["/a", "/b", "/c"] {
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.receive() == .ok("GET \(path) "))
            }
        }
    }

    @Test func `answers pipelined requests in order`() async throws {
        try await withServer { server in
            let client = try server.connect()
            let paths = (0..<100).map { "/\($0)" }

            try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())

            for path in paths { #expect(try client.receive() == .ok("GET \(path) ")) }
        }
    }

    @Test func `answers in order what is pipelined while a handler is suspended`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            try client.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
            try client.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try server.answersNewClient())
            server.stub.open()

            #expect(try client.receive() == .ok("GET /wait "))
            #expect(try client.receive() == .ok("POST /b hi"))
            #expect(try client.receive() == .ok("GET /c "))
        }
    }

    @Test func `serves other connections between pipelined requests`() async throws {
        try await withServer { server in
            let (flooding, other) = (try server.connect(), try server.connect())
            try other.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try other.receive()
            try flooding.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()
            let flood = String(repeating: "GET /f HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000)
            try flooding.send(flood)
            try other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.unblock()

            _ = try other.receive()
            for _ in 0...1000 { _ = try flooding.receive() }

            let index = try #require(server.stub.paths.firstIndex(of: "/other"))
            #expect(index < 100)
        }
    }

    @Test func `answers HEAD with the length and without the body`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("HEAD /large?5000 HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")

            let answer = try client.receive(isHead: true)
            #expect(answer.contentLength == 5000)
            #expect(try client.receive() == .ok("GET /next "))
        }
    }

    @Test func `sends a large body whole`() async throws {
        try await withServer { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send("GET /large?20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(try client.receive().body.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
            #expect(try client.receive() == .ok("GET /next "))
        }
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true),
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\r\nConnection: close\r\n\r\n", true),
            // More than was asked for must not destroy the answer.
            ("GET / HTTP/1.0\r\n\r\nGET /ignored HTTP/1.0\r\n\r\n", true),
        ]
    )
    func `closes after the answer where the client wants it`(
        request: String,
        closes: Bool
    ) async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(request)

            #expect(try client.receive() == .ok("GET / ", closes: closes))
            try client.receiveEnd()
        }
    }

    @Test func `lets the last answer arrive although the client goes on sending`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            server.stub.awaitArrival()
            try client.send([UInt8](repeating: 0, count: 1_000_000))
            server.stub.open()

            #expect(try client.receive() == .ok("GET /wait ", closes: true))
            try client.receiveEnd()
        }
    }

    @Test func `keeps an HTTP/1.0 connection open that asks for it`() async throws {
        try await withServer { server in
            let client = try server.connect()

            for _ in 0..<2 {
                try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try client.receive() == .ok("GET / ", saysKeepAlive: true))
            }
        }
    }

    @Test func `answers a client that has finished sending`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(
                "GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            client.finishSending()
            server.stub.awaitArrival()
            server.stub.open()

            #expect(try client.receive() == .ok("GET /wait "))
            #expect(try client.receive() == .ok("GET /b "))
            try client.receiveEnd()
        }
    }
}
