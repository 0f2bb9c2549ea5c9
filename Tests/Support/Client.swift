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
    private let application: Application
    private let limits: Limits

    init(_ application: Application, limits: Limits) {
        self.application = application
        self.limits = limits
    }

    func send(_ request: TestRequest) async throws -> Answer {
        let response: Response
        var keepsAlive = false
        var parser = RequestParser(limits: limits)
        do throws(ParseError) {
            var parsed = try parse(request.bytes, by: &parser)
            parsed.peerAddress = IPAddress("127.0.0.1")
            response = await application.respond(to: parsed).response
            keepsAlive = parsed.keepsAlive
        } catch {
            response = application.refuse(error.status, error.message, of: parser.partialRequest)
        }
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
        var bytes: [UInt8] = []
        ResponseSerializer.append(
            response,
            to: &bytes,
            isHead: request.method == "HEAD",
            keepsAlive: keepsAlive,
            isHTTP10: false,
            date: Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)
        )
        guard let (answer, length) = try Answer.read(bytes, to: request.method),
            length == bytes.count
        else { throw ProtocolError("not one whole answer") }
        return answer
    }
}

/// Asks a server over connections that it keeps open.
final class SocketClient: Client {
    private let server: Server
    private let idle = Mutex<[SocketConnection]>([])

    init(_ server: Server) {
        self.server = server
    }

    func send(_ request: TestRequest) async throws -> Answer {
        try await sendAtOnce([request])[0]
    }

    func sendAtOnce(_ requests: [TestRequest]) async throws -> [Answer] {
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

    func stop() {
        idle.withLock { $0 = [] }
        server.stop()
    }

    private func takeConnection() throws -> SocketConnection {
        try idle.withLock { $0.popLast() } ?? SocketConnection(port: server.port)
    }
}
