import Glibc
import HTTP
import HTTPServer
import Testing

/// What clients get of responses whose bodies are streams.
@Suite struct StreamTests {
    private static let get = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let head = """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Transfer-Encoding: chunked\r
        Connection: close\r
        \r

        """

    @Test func `sends each piece as a chunk`() async throws {
        try await withServer { server in
            let large = String(repeating: "x", count: BodyProgress.pieceBytes)
            let stream = StubStream(
                .init("hello, world", .more),
                .init("", .more),
                .init(large, .more),
                .init("", .wait(milliseconds: 0)),
                .init("a", .wait(milliseconds: 1)),
                .init("b", .more),
                .init("c", .more),
                .init("d", .more),
                .init("e", .end)
            )
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

            let texts = ["c\r\nhello, world", "4000\r\n\(large)"] + "abcde".map { "1\r\n\($0)" }
            let body = texts.joined(separator: "\r\n") + "\r\n0\r\n\r\n"
            #expect(try client.receiveAll() == Self.head + body)
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: large.count + 17, isComplete: true))
        }
    }

    @Test func `sends an empty stream as the last chunk alone`() async throws {
        try await withServer { server in
            server.stub.serve(StubStream(.init("", .end)))
            let client = try server.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

            #expect(try client.receiveAll() == "\(Self.head)0\r\n\r\n")
        }
    }

    @Test func `sends the header before the stream has anything to send`() async throws {
        try await withServer { server in
            let stream = StubStream()
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)

            let head = try client.receive(isHead: true)
            #expect(head.status == 200)
            #expect(head.contentLength == nil)
            #expect(!head.closes)
            stream.add(.init("a", .end))
            stream.wake()
            #expect(try client.receive(11) == Array("1\r\na\r\n0\r\n\r\n".utf8))
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func `ends a stream of HTTP/1.0 by closing`(field: String) async throws {
        try await withServer { server in
            let stream = StubStream(
                .init("a", .more),
                .init("b", .wait(milliseconds: 1)),
                .init("c", .end)
            )
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send("GET /stream HTTP/1.0\r\n\(field)\r\nGET / HTTP/1.0\r\n\r\n")

            #expect(
                try client.receiveAll() == """
                    HTTP/1.1 200 OK\r
                    X-Content-Type-Options: nosniff\r
                    Connection: close\r
                    \r
                    abc
                    """
            )
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 3, isComplete: true))
            #expect(server.stub.paths == ["/stream"])
        }
    }

    @Test func `answers HEAD with the header alone`() async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .end))
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

            #expect(try client.receiveAll() == Self.head)
            #expect(stream.uses == ["close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 0, isComplete: true))
        }
    }

    @Test func `serves a request behind one by HEAD`() async throws {
        try await withServer { server in
            server.stub.serve(StubStream(.init("a", .end)))
            let client = try server.connect()
            try client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.send("GET /behind HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(try client.receive(isHead: true).status == 200)
            #expect(try client.receive() == .ok("GET /behind "))
        }
    }

    @Test func `gives no body to a status without content`() async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .end))
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send("GET /stream?nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

            #expect(
                try client.receiveAll() == """
                    HTTP/1.1 204 No Content\r
                    X-Content-Type-Options: nosniff\r
                    Connection: close\r
                    \r

                    """
            )
            #expect(stream.uses == ["close", "end"])
        }
    }

    @Test(arguments: [true, false])
    func `serves a request behind a stream after its end`(isPipelined: Bool) async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .wait(milliseconds: 600_000)))
            server.stub.serve(stream)
            let client = try server.connect()
            let witness = try server.connect()
            let behind = "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n"
            try client.send(Self.get + (isPipelined ? behind : ""))
            _ = try client.receive(isHead: true)
            #expect(try client.receive(6) == Array("1\r\na\r\n".utf8))
            if !isPipelined { try client.send(behind) }
            try server.settle(witness)
            #expect(!server.stub.paths.contains("/behind"))
            #expect(stream.nextCount == 1)

            stream.add(.init("b", .end))
            stream.wake()

            #expect(try client.receive(11) == Array("1\r\nb\r\n0\r\n\r\n".utf8))
            #expect(try client.receive() == .ok("GET /behind "))
            #expect(stream.uses == ["open", "close", "end"])
        }
    }

    @Test func `makes no piece before the client has taken those before`() async throws {
        try await withServer { server in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: BodyProgress.pieceBytes)
            let stream = StubStream(repeating: .init(piece, .more))
            server.stub.serve(stream)
            let witness = try server.connect()
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(Self.get)
            while server.server.responseBytes == 0 { sched_yield() }
            let held = stream.nextCount
            for _ in 0..<10 { try server.settle(witness) }
            #expect(stream.nextCount == held)
            #expect(server.server.responseBytes <= BodyProgress.pieceBytes + 8)

            _ = try client.receive(isHead: true)
            var read = 0
            // As long as it takes for the system to take more from the server.
            while stream.nextCount < held + 2 {
                read += try client.receive(1).count
                #expect(server.server.responseBytes <= BodyProgress.pieceBytes + 8)
            }
            #expect(stream.nextCount * BodyProgress.pieceBytes > read)
            #expect(stream.uses == ["open"])
        }
    }

    @Test(arguments: [StubStream.Step("", .more), .init("", .wait(milliseconds: 0))])
    func `serves others beside a stream that always has its turn`(
        step: StubStream.Step
    ) async throws {
        try await withServer { server in
            let stream = StubStream(repeating: step)
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)

            #expect(try server.answersNewClient())
            client.resetWhenClosed()
        }
    }

    @Test func `counts what clients don't read and gives the slowest up`() async throws {
        var limits = Limits.patient
        limits.responseMegabytes = 1
        try await withServer(limits: limits) { server in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: BodyProgress.pieceBytes)
            var streams: [StubStream] = []
            var clients: [Client] = []
            while server.server.givenUpResponseCount == 0, clients.count < 500 {
                let stream = StubStream(repeating: .init(piece, .more))
                server.stub.serve(stream)
                let before = server.server.responseBytes
                let client = try server.connect(receiveBuffer: 4096)
                try client.send(Self.get)
                while server.server.responseBytes == before,
                    server.server.givenUpResponseCount == 0
                {
                    sched_yield()
                }
                streams.append(stream)
                clients.append(client)
            }

            #expect(server.server.responseBytes <= 1 << 20)
            #expect(streams[0].awaitClose())
            #expect(streams.dropFirst().allSatisfy { $0.uses == ["open"] })
            for client in clients { client.resetWhenClosed() }
        }
    }
}
