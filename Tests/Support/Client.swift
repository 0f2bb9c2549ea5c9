import HTTP
import HTTPServer
import System
import Web

/// Brings requests to the application, and its answers back.
protocol Client: Sendable {
    func send(_ request: TestRequest) async throws -> Answer
    /// The answers to requests that are all under way at once.
    func sendAtOnce(_ requests: [TestRequest]) async throws -> [Answer]
    /// Ends the server, if there is one; blocks the thread until that is done.
    func stop()
}

/// Does what a connection does, with everything but the socket.
struct InProcessClient: Client {
    private let respond: @Sendable (Request) -> EventualResponse
    private let refuse: @Sendable (Status, String, Request?) -> Response
    private let limits: Limits

    init(_ application: Application, limits: Limits) {
        respond = { application.respond(to: $0) }
        refuse = { application.refuse($0, $1, of: $2) }
        self.limits = limits
    }

    init(_ application: AdminApplication, limits: Limits) {
        respond = { request in .later { await application.respond(to: request) } }
        refuse = { status, message, _ in application.refuse(status, message) }
        self.limits = limits
    }

    func send(_ request: TestRequest) async throws -> Answer {
        let response: Response
        var keepsAlive = false
        var parser = RequestParser(limits: limits)
        do throws(ParseError) {
            var parsed = try parse(request.bytes, by: &parser)
            parsed.peerAddress = IPAddress("127.0.0.1")
            response = await respond(parsed).response.caughtUp(to: parsed.method)
            keepsAlive = parsed.keepsAlive
        } catch {
            response = refuse(error.status, error.message, parser.partialRequest)
        }
        keepsAlive = keepsAlive && !response.endsConnection
        return try answer(response, to: request, keepsAlive: keepsAlive)
    }

    func sendAtOnce(_ requests: [TestRequest]) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, try await send(request)) }
            }
            let answers = try await group.reduce(into: []) { $0.append($1) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    func stop() {}

    private func parse(
        _ bytes: [UInt8],
        by parser: inout RequestParser
    ) throws(ParseError) -> Request {
        let progress = try parser.parse(bytes.span)
        // A spec sends whole requests, so that what is incomplete can't be one.
        guard case .complete(let request) = progress.outcome else { throw .malformedRequestLine }
        return request
    }

    private func answer(
        _ response: Response,
        to request: TestRequest,
        keepsAlive: Bool
    ) throws -> Answer {
        var (bytes, head) = ([UInt8](), response)
        if response.stream != nil { head.body = [] }
        ResponseSerializer.append(
            head,
            to: &bytes,
            isHead: request.method == "HEAD",
            keepsAlive: keepsAlive,
            isHTTP10: false,
            date: Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)
        )
        if response.stream != nil, request.method != "HEAD" {
            ChunkedEncoder.append(chunk: response.body.span, to: &bytes)
            if response.headers["content-type"] == "application/octet-stream" {
                ChunkedEncoder.appendEnd(to: &bytes)
            }
        }
        guard let (answer, length) = try Answer.read(bytes, to: request.method),
            length == bytes.count
        else { throw ProtocolError("not one whole answer") }
        return answer
    }
}

extension Response {
    /// The response whose body is what its stream sends until the client has caught up.
    fileprivate func caughtUp(to method: Method) async -> Response {
        guard let stream, method != .head else { return self }
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
        stream.open { continuation.yield() }
        continuation.yield()
        var response = self
        for await _ in wakes {
            var progress = BodyProgress.more
            while progress == .more {
                var piece: [UInt8] = []
                progress = stream.next(into: &piece, isStopping: false)
                response.body += piece
            }
            let text = String(decoding: response.body, as: UTF8.self)
            if progress == .end || text.contains("event: ready\n") { break }
        }
        stream.close()
        return response
    }
}

/// Asks a server over connections that it keeps open.
final class SocketClient: Client {
    let server: Server
    private let idle = Mutex<[SocketConnection]>([])

    init(_ server: Server) {
        self.server = server
    }

    func send(_ request: TestRequest) async throws -> Answer {
        try await sendAtOnce([request])[0]
    }

    func sendAtOnce(_ requests: [TestRequest]) async throws -> [Answer] {
        try exchange(requests)
    }

    /// Sends requests, and blocks the thread until all have answers.
    func exchange(_ requests: [TestRequest]) throws -> [Answer] {
        let connections = try requests.map { _ in try takeConnection() }
        for (connection, request) in zip(connections, requests) {
            try connection.send(request.bytes)
        }
        return try zip(connections, requests).map { connection, request in
            let answer = try connection.receive(answerTo: request.method)
            if answer.fields["connection"] == nil { idle.withLock { $0.append(connection) } }
            return answer
        }
    }

    func connect() throws -> SocketConnection { try SocketConnection(port: server.port) }

    func stop() {
        idle.withLock { $0 = [] }
        server.stop()
    }

    private func takeConnection() throws -> SocketConnection {
        try idle.withLock { $0.popLast() } ?? SocketConnection(port: server.port)
    }
}
