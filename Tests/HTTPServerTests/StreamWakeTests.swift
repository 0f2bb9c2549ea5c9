import Foundation
import HTTP
import HTTPServer
import Testing

/// Streams that wait, and are woken.
@Suite struct StreamWakeTests {
    private static let get = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `wakes each of 1,000 idle streams`() async throws {
        var limits = Limits.patient
        limits.connectionsPerAddress = 2000
        try await withServer(loops: 2, limits: limits) { server in
            let streams = (0..<1000).map { _ in StubStream() }
            let clients = try streams.enumerated().map { index, stream in
                server.stub.serve(stream, at: "/\(index)")
                let client = try server.connect()
                try client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receive(isHead: true)
                return client
            }
            #expect(server.server.responseBytes == 0)

            for (index, stream) in streams.enumerated() {
                stream.add(.init("\(index % 10)", .wait(milliseconds: 600_000)))
                stream.wake()
            }
            for (index, client) in clients.enumerated() {
                #expect(try client.receive(6) == Array("1\r\n\(index % 10)\r\n".utf8))
            }
            for stream in streams {
                stream.add(.init("", .end))
                stream.wake()
            }
            for client in clients {
                #expect(try client.receive(5) == Array("0\r\n\r\n".utf8))
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.receive() == .ok("GET / "))
            }
            #expect(streams.allSatisfy { $0.uses == ["open", "close", "end"] })
        }
    }

    @Test func `loses no wake of many threads`() async throws {
        try await withServer { server in
            let stream = StubStream()
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)

            for _ in 0..<4 {
                Thread.detachNewThread {
                    for _ in 0..<500 {
                        stream.add(.init("a", .more))
                        stream.wake()
                    }
                }
            }

            let chunk = Array("1\r\na\r\n".utf8)
            for _ in 0..<2000 { #expect(try client.receive(6) == chunk) }
        }
    }

    @Test func `wakes a stream once, however often it is woken before it goes on`() async throws {
        try await withServer { server in
            let stream = StubStream()
            server.stub.serve(stream)
            let client = try server.connect()
            let blocker = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)
            try blocker.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            server.stub.awaitArrival()

            for _ in 0..<1000 { stream.wake() }
            #expect(stream.nextCount == 1)
            server.stub.unblock()
            _ = try blocker.receive()
            for _ in 0..<5 { try server.settle(blocker) }

            #expect(stream.nextCount == 2)
            client.finishSending()
        }
    }

    @Test func `goes on if it was woken before it waits`() async throws {
        try await withServer { server in
            let stream = StubStream(
                .init("a", .wait(milliseconds: 600_000)),
                .init("b", .wait(milliseconds: 600_000)),
                .init("c", .end),
                wakesEarly: true
            )
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)

            let body = "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"
            #expect(try client.receive(body.utf8.count) == Array(body.utf8))
        }
    }

    @Test func `goes on if it was woken while its client did not read`() async throws {
        try await withServer { server in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: BodyProgress.pieceBytes)
            let stream = StubStream(repeating: .init(piece, .wait(milliseconds: 600_000)))
            server.stub.serve(stream)
            let witness = try server.connect()
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(Self.get)
            while server.server.responseBytes == 0 {
                stream.wake()
                try server.settle(witness)
            }
            let count = stream.nextCount

            stream.wake()
            try server.settle(witness)
            #expect(stream.nextCount == count)
            _ = try client.receive(isHead: true)
            let chunk = Array("4000\r\n".utf8) + piece + Array("\r\n".utf8)
            for _ in 0...count { #expect(try client.receive(chunk.count) == chunk) }

            #expect(stream.nextCount == count + 1)
            client.finishSending()
        }
    }

    @Test func `goes on by itself when its time is over`() async throws {
        try await withServer { server in
            let short = StubStream(repeating: .init("s", .wait(milliseconds: 2)))
            let long = StubStream(repeating: .init("l", .wait(milliseconds: 600_000)))
            let middle = StubStream(repeating: .init("m", .wait(milliseconds: 9)))
            let streams = [long, short, middle]
            let clients = try streams.enumerated().map { index, stream in
                server.stub.serve(stream, at: "/\(index)")
                let client = try server.connect()
                try client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receive(isHead: true)
                return client
            }
            for _ in 0..<50 { #expect(try clients[1].receive(6) == Array("1\r\ns\r\n".utf8)) }
            for _ in 0..<10 { #expect(try clients[2].receive(6) == Array("1\r\nm\r\n".utf8)) }
            #expect(long.nextCount == 1)
            for client in clients { client.finishSending() }
        }
    }

    @Test func `keeps to the time of a stream however often others are woken`() async throws {
        try await withServer { server in
            let timed = StubStream(repeating: .init("t", .wait(milliseconds: 50)))
            let woken = StubStream(repeating: .init("w", .wait(milliseconds: 600_000)))
            let clients = try [timed, woken].enumerated().map { index, stream in
                server.stub.serve(stream, at: "/\(index)")
                let client = try server.connect()
                try client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receive(isHead: true)
                return client
            }
            // Many more waits than the loop keeps the times of.
            for _ in 0..<500 {
                woken.wake()
                #expect(try clients[1].receive(6) == Array("1\r\nw\r\n".utf8))
            }

            let count = timed.nextCount + 3
            for _ in 0..<count { #expect(try clients[0].receive(6) == Array("1\r\nt\r\n".utf8)) }
            for client in clients { client.finishSending() }
        }
    }

    @Test func `does nothing when a stream is woken after its end`() async throws {
        let stream = StubStream(.init("a", .end))
        try await withServer { server in
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)
            #expect(try client.receive(11) == Array("1\r\na\r\n0\r\n\r\n".utf8))
            #expect(stream.awaitClose())

            for _ in 0..<10 { stream.wake() }
            try server.settle(client)
        }
        stream.wake()

        #expect(stream.nextCount == 1)
        #expect(stream.uses == ["open", "close", "end"])
    }
}
