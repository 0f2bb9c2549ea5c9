import Dispatch
import Foundation
import Glibc
import HTTP
import HTTPServer
import Testing

/// The ends of streams that their clients don't get whole, and those of a server that stops.
@Suite struct StreamEndTests {
    private static let get = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let oldGet = "GET /stream HTTP/1.0\r\n\r\n"
    private static let head = """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Transfer-Encoding: chunked\r
        \r

        """

    /// A stream that never waits for anything but its client.
    private static var endless: StubStream {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: BodyProgress.pieceBytes)
        return StubStream(repeating: .init(piece, .more))
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    func `goes on with a stream that waits when its client has finished`(
        behind: String
    ) async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .wait(milliseconds: 600_000)))
            server.stub.serve(stream)
            let witness = try server.connect()
            let client = try server.connect()
            try client.send(Self.get + behind)
            _ = try client.receive(isHead: true)
            #expect(stream.awaitCall())
            client.finishSending()
            try server.settle(witness)
            #expect(stream.uses == ["open"])

            stream.add(.init("b", .end))
            stream.wake()

            let body = "1\r\na\r\n1\r\nb\r\n0\r\n\r\n"
            #expect(try client.receive(body.utf8.count) == Array(body.utf8))
            if !behind.isEmpty { #expect(try client.receive() == .ok("GET / ")) }
            try client.receiveEnd()
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 2, isComplete: true))
            #expect(try server.socketCount(reaching: 2, witness) == 2)
        }
    }

    @Test(arguments: [get, oldGet])
    func `ends a stream that waits when its client has gone and it is woken`(
        sent: String
    ) async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .wait(milliseconds: 600_000)))
            server.stub.serve(stream)
            let witness = try server.connect()
            do {
                let client = try server.connect()
                try client.send(sent)
                _ = try client.receive(isHead: true)
                #expect(stream.awaitCall())
                _ = try client.receive(sent == Self.get ? 6 : 1)
            }
            try server.settle(witness)
            #expect(stream.uses == ["open"])

            // The client's system answers these bytes with a reset.
            stream.add(.init("b", .wait(milliseconds: 600_000)))
            stream.wake()

            #expect(stream.awaitClose())
            #expect(try server.socketCount(reaching: 2, witness) == 2)
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 2, isComplete: false))
        }
    }

    @Test func `sends all of a stream that doesn't wait to a client that has finished`()
        async throws
    {
        try await withServer { server in
            let stream = StubStream(.init("a", .more), .init("b", .end))
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            client.finishSending()

            #expect(try client.receiveAll() == "\(Self.head)1\r\na\r\n1\r\nb\r\n0\r\n\r\n")
            #expect(stream.uses == ["open", "close", "end"])
        }
    }

    @Test(arguments: [StubStream(), StubStream(repeating: .init("", .more)), endless])
    func `ends a stream when its client resets the connection`(stream: StubStream) async throws {
        try await withServer { server in
            server.stub.serve(stream)
            let witness = try server.connect()
            do {
                let client = try server.connect()
                try client.send(Self.get)
                _ = try client.receive(isHead: true)
                #expect(stream.awaitCall())
                client.resetWhenClosed()
            }

            #expect(stream.awaitClose())
            #expect(try server.socketCount(reaching: 2, witness) == 2)
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end?.isComplete == false)
            #expect(server.server.responseBytes == 0)
        }
    }

    @Test func `closes a stream whose client went before it began`() async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .wait(milliseconds: 600_000)))
            server.stub.serve(stream)
            let witness = try server.connect()
            do {
                let client = try server.connect()
                try client.send("GET /stream?wait HTTP/1.1\r\nHost: a\r\n\r\n")
                server.stub.awaitArrival()
                client.resetWhenClosed()
            }
            try server.settle(witness)
            server.stub.open()

            #expect(stream.awaitClose())
            #expect(try server.socketCount(reaching: 2, witness) == 2)
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 0, isComplete: false))
        }
    }

    @Test func `gives up a client that does not read`() async throws {
        var limits = Limits.patient
        limits.writeMilliseconds = 40
        try await withServer(limits: limits) { server in
            let stream = Self.endless
            server.stub.serve(stream)
            let witness = try server.connect()
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(Self.get)

            #expect(stream.awaitClose())
            #expect(try server.socketCount(reaching: 2, witness) == 2)
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end?.isComplete == false)
            #expect(throws: ClientError.self) { try client.receiveAll() }
        }
    }

    @Test(
        arguments: [
            StubStream.Step("", .failed),
            .init([UInt8](repeating: 0, count: BodyProgress.pieceBytes + 1), .more),
        ]
    )
    func `sends no last chunk of a stream that fails`(step: StubStream.Step) async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .more), step)
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)

            #expect(try client.receiveAll() == "\(Self.head)1\r\na\r\n")
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 1, isComplete: false))
        }
    }

    @Test func `resets a connection of HTTP/1.0 whose stream fails`() async throws {
        try await withServer { server in
            let stream = StubStream(.init("a", .more), .init("", .failed))
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.oldGet)

            #expect(throws: ClientError.self) { try client.receiveAll() }
            #expect(stream.uses == ["open", "close", "end"])
        }
    }

    // MARK: Stopping

    /// Asks a server to stop; the semaphore tells when it has.
    private static func stop(_ server: RunningServer) -> DispatchSemaphore {
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.server.stop()
            stopped.signal()
        }
        return stopped
    }

    @Test(arguments: [1, 2])
    func `ends open streams in order when the server stops`(loops: Int) async throws {
        try await onThread {
            let server = try RunningServer(loops: loops, limits: .patient)
            let streams = (0..<10).map { _ in
                StubStream(.init("a", .wait(milliseconds: 600_000)))
            }
            let clients = try streams.enumerated().map { index, stream in
                server.stub.serve(stream, at: "/\(index)")
                let client = try server.connect()
                let version = index == 0 ? "HTTP/1.0" : "HTTP/1.1"
                try client.send(
                    "GET /\(index) \(version)\r\nHost: a\r\nConnection: close\r\n\r\n"
                )
                _ = try client.receive(isHead: true)
                #expect(stream.awaitCall())
                return client
            }

            let stopped = Self.stop(server)

            #expect(try clients[0].receiveAll() == "abye")
            for client in clients.dropFirst() {
                #expect(try client.receiveAll() == "1\r\na\r\n3\r\nbye\r\n0\r\n\r\n")
            }
            for client in clients { client.finishSending() }
            stopped.wait()
            #expect(streams.allSatisfy { $0.uses == ["open", "close", "end"] })
            #expect(streams.allSatisfy { $0.end == BodyStreamEnd(bytes: 4, isComplete: true) })
            #expect(server.socketCount == 0)
        }
    }

    @Test func `calls a stream until it ends when the server stops`() async throws {
        try await onThread {
            let server = try RunningServer(loops: 1, limits: .patient)
            let stream = StubStream(
                .init("a", .wait(milliseconds: 600_000)),
                .init("b", .wait(milliseconds: 1)),
                .init("c", .more),
                .init("d", .wait(milliseconds: 600_000)),
                .init("e", .end),
                endsWhenStopping: false
            )
            server.stub.serve(stream)
            let client = try server.connect()
            try client.send(Self.get)
            _ = try client.receive(isHead: true)
            #expect(try client.receive(6) == Array("1\r\na\r\n".utf8))
            let stopped = Self.stop(server)

            #expect(try client.receive(18) == Array("1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n".utf8))
            stream.wake()
            #expect(try client.receive(11) == Array("1\r\ne\r\n0\r\n\r\n".utf8))
            client.finishSending()
            stopped.wait()
            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end == BodyStreamEnd(bytes: 5, isComplete: true))
        }
    }

    @Test(arguments: [get, oldGet], [true, false])
    func `gives up a stream that doesn't end when the server stops`(
        sent: String,
        isStalled: Bool
    ) async throws {
        try await onThread {
            var limits = Limits.patient
            limits.shutdownMilliseconds = 40
            let server = try RunningServer(loops: 1, limits: limits)
            let stream = isStalled ? Self.endless : StubStream(endsWhenStopping: false)
            server.stub.serve(stream)
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(sent)
            #expect(stream.awaitCall())

            server.server.stop()

            #expect(stream.uses == ["open", "close", "end"])
            #expect(stream.end?.isComplete == false)
            #expect(server.socketCount == 0)
            if sent == Self.get && !isStalled {
                #expect(try client.receiveAll() == Self.head)
            } else {
                #expect(throws: ClientError.self) { try client.receiveAll() }
            }
        }
    }
}
