import Foundation
import Glibc
import Support
import Testing

/// The program whose log nobody reads.
@Suite struct SlowLogTests {
    /// More lines than fit into a pipe, the buffer, and what each thread keeps back.
    private static let requests = 5000

    @Test func `serves and stops although nobody reads its log`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try Self.stalledServer(of: database)
            #expect(try Self.droppedLines(of: server) > 0)

            server.signal(SIGTERM)

            #expect(server.wait() == 0)
            #expect(database.walBytes() == 0)
            server.readLogOn()
            #expect(!server.logText().contains(#""message":"stopped""#))
        }
    }

    @Test func `says how many lines it has dropped`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try Self.stalledServer(of: database)
            let droppedBefore = try Self.droppedLines(of: server)

            server.readLogOn()
            server.awaitLog("log lines dropped: ")
            server.signal(SIGTERM)

            #expect(server.wait() == 0)
            let lines = server.logText().split(separator: "\n").map(String.init)
            let requests = lines.filter { $0.contains(#""path":"/v1/events/1""#) }
            let last = try #require(lines.last)
            #expect(last.contains(#""message":"log lines dropped: "#))
            // A thread hands over its last lines only when it has nothing to do.
            let total = last.split(separator: #""total":""#).last.flatMap { Int($0.dropLast(2)) }
            let dropped = try #require(total)
            #expect(droppedBefore > 0 && dropped >= droppedBefore)
            #expect(requests.count == Self.requests - dropped)
            #expect(lines.contains { $0.contains(#""message":"stopped""#) })
        }
    }

    /// A server that has answered all requests while nobody read its log.
    private static func stalledServer(of database: CrashedDatabase) throws -> HumonProcess {
        let server = try HumonProcess(
            database: database.path,
            stallsLog: true,
            settings: ["LOG_BUFFER_BYTES": "65536"]
        )
        let connection = try SocketConnection(port: server.port)
        for _ in 0..<requests {
            try connection.send(Array("GET /v1/events/1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            let answer = try connection.receive(answerTo: "GET")
            guard answer.status == 404 else { throw CrashTestError("\(answer)") }
        }
        return server
    }

    /// What the metrics say.
    private static func droppedLines(of server: HumonProcess) throws -> Int {
        let connection = try SocketConnection(port: server.adminPort)
        try connection.send(Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let text = try connection.receive(answerTo: "GET").body
        let line = text.split(separator: "\n")
            .first { $0.hasPrefix("humon_log_dropped_lines_total ") }
        guard let line, let count = Int(line.dropFirst(30)) else {
            throw CrashTestError("no count in \(text)")
        }
        return count
    }
}
