import Foundation
import JSON
import Logging
import Support
import Testing
import Time

/// The lines that requests leave in the log.
///
/// That no credential is in them is checked at the end of every other spec, too.
@Suite struct LogSpec {
    @Test(arguments: Driver.allCases)
    func `has one line for each request, with these members`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answers = try await Self.makeRequests(of: server)

            let lines = try server.log().split(separator: "\n").map(Self.members)
            #expect(lines.count == answers.count)
            for (line, answer) in zip(lines, answers) {
                #expect(
                    line.map(\.key) == [
                        "time", "level", "method", "path", "status", "bytes", "duration_ms",
                        "request_id",
                    ]
                )
                #expect(line[0].value.hasPrefix("20") && line[0].value.hasSuffix("Z"))
                #expect(line[1].value == "info")
                #expect(line[4].value == "\(answer.status)")
                #expect(line[5].value == "\(answer.body.utf8.count)")
                #expect(Self.isDuration(line[6].value))
                #expect(line[7].value == answer.requestID)
            }
            #expect(lines.map { "\($0[2].value) \($0[3].value)" } == Self.paths)
        }
    }

    @Test(arguments: Driver.allCases)
    func `has lines for people where that is wanted`(driver: Driver) async throws {
        try await withServer(driver, logFormat: .text) { server in
            let answers = try await Self.makeRequests(of: server)

            let lines = try server.log().split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.count == answers.count)
            for (line, answer) in zip(lines, answers) {
                try #require(line.count == 8)
                #expect(line[0].utf8.count == 24 && line[0].hasSuffix("Z"))
                #expect(line[1] == "info")
                #expect(line[4] == "\(answer.status)")
                #expect(line[5] == "\(answer.body.utf8.count)B")
                #expect(line[6].hasSuffix("ms") && Self.isDuration(String(line[6].dropLast(2))))
                #expect(line[7] == answer.requestID)
            }
            #expect(lines.map { "\($0[2]) \($0[3])" } == Self.paths)
        }
    }

    @Test(arguments: Driver.allCases)
    func `has nothing of queries, headers and bodies`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let marks = ["in-the-query", "in-a-header", "in-the-body", user.token]

            _ = try await server.post(
                "/v1/events?name=in-the-query",
                as: user,
                ["X-Other": "in-a-header", "X-Request-Id": "in-a-header;"],
                body: eventJSON(["name": #""in-the-body""#])
            )
            _ = try await server.post(
                "/v1/events?in-the-query",
                as: user,
                body: #"{"in-the-body"}"#
            )
            _ = try await server.post("/v1/users", ["tb-app-secret": "in-a-header"])

            let log = try server.log()
            #expect(log.split(separator: "\n").count == 5)
            #expect(marks.filter { log.contains($0) } == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps each line whole, whatever is in the path`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.get(#"/a"b\c%0Ad%1B[31m"#)

            let lines = try server.log().split(separator: "\n").map(Self.members)
            #expect(lines.map { $0[3].value } == [#"/a"b\c%0Ad%1B[31m"#])
        }
    }

    /// Terminals take U+009B for the start of an escape code, and U+0085 ends a line.
    @Test(arguments: LogFormat.allCases)
    func `has no control character of any kind`(format: LogFormat) throws {
        let text = "a\u{9B}31m\u{85}b\u{7F}\r\n\u{1B}é\u{A0}"
        let pipe = Pipe()
        let logger = try Logger(
            level: .info,
            format: format,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )

        logger.log(.info, text, ["name": text])
        logger.log(
            RequestRecord(
                time: Timestamp(milliseconds: 0),
                method: text,
                path: text,
                status: 200,
                bytes: 0,
                microseconds: 0,
                requestID: text
            )
        )
        logger.flush()

        let lines = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines.last == "")
        for line in lines {
            #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == [])
        }
        #expect(lines[0].contains("a?31m?b?") && lines[1].contains("é\u{A0}"))
    }

    /// Answers to a sign-up, two that succeed, one that fails and one to what is no request.
    private static func makeRequests(of server: TestServer) async throws -> [Answer] {
        [
            try await server.post("/v1/users", ["tb-app-secret": TestServer.secret]),
            try await server.get("/v1/events/nearests?lat=1&lon=2", ["X-Request-Id": "mine"]),
            try await server.send("OPTIONS", "/v1/events/7/"),
            try await server.get("/v1/events/7?lat=1"),
            try await server.send(TestRequest("GET", "/", wire: "GET / HTTP/1.1\r\n\r\n")),
        ]
    }

    private static let paths = [
        "POST /v1/users", "GET /v1/events/nearests", "OPTIONS /v1/events/7/", "GET /v1/events/7",
        "GET /",
    ]

    /// The members of a line as texts, in their order.
    private static func members(of line: Substring) throws -> [(key: String, value: String)] {
        let value = try JSONParser.parse(Array(line.utf8).span, maximumDepth: 1)
        guard case .object(let object) = value else { return [] }
        return object.members.map { member in
            switch member.value {
            case .string(let text): (member.key, text)
            case .number(let number): (member.key, number)
            default: (member.key, "\(member.value)")
            }
        }
    }

    /// Whether the text is a plausible number of milliseconds, with three decimals.
    private static func isDuration(_ text: String) -> Bool {
        guard let milliseconds = Double(text) else { return false }
        return (0..<60_000).contains(milliseconds) && text.split(separator: ".").last?.count == 3
    }
}
