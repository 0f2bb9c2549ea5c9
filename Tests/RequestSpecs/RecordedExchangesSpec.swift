import Foundation
import Support
import Testing

/// What the original server answered to real requests, in their order.
@Suite struct RecordedExchangesSpec {
    @Test(arguments: Driver.allCases)
    func `answers as the original did, but where it is meant to differ`(
        driver: Driver
    ) async throws {
        try await withServer(driver, secrets: [Replay.secret]) { server in
            var replay = Replay()

            for exchange in try RecordedExchange.all() {
                try await replay.prepare(for: exchange, on: server)
                let answer = try await server.send(replay.request(of: exchange))
                let expected = replay.expectation(of: exchange, answered: answer)
                #expect(answer == expected, "\(exchange.name)")
            }

            #expect(replay.differences.keys.sorted() == [], "meant to differ and not recorded")
        }
    }

    @Test func `has every exchange`() throws {
        #expect(try RecordedExchange.all().count == 77)
    }
}

/// What the records of a recording are on the server that it is replayed to.
private struct Replay {
    static let secret = "secretkey"

    /// Answers that differ from the recording on purpose, by exchange; what was used is gone.
    private(set) var differences: [String: Answer] = [
        // The original's errors have no body, or one with a status.
        "user-secret-wrong": .notFound, "user-secret-missing": .notFound,
        "event-no-token": .unauthorized, "patch-no-token": .unauthorized,
        "patch-missing-event-no-token": .unauthorized, "show-missing": .notFound,
        "show-zero": .notFound, "show-nonnumeric": .notFound, "att-null-id": .notFound,
        // The original has an empty object for the id.
        "att-create": .id(1), "att-duplicate": .id(1), "att-form": .id(2),
        "att-ios-client": .id(3),
    ]

    private var tokens: [String: String] = [:]
    /// Ids of events by those of the recording, from which some exchanges were left out.
    private var events: [String: String] = [:]
    private let users = ["1": "1", "6": "2"]

    /// Makes the records that the exchange names and no earlier one has made.
    mutating func prepare(for exchange: RecordedExchange, on server: TestServer) async throws {
        if exchange.name == "patch-valid", let token = tokens["TOKEN-1"] {
            let owner = TestUser(id: 1, token: token)
            events["67"] = "\(try await server.createEvent(by: owner))"
        } else if exchange.name == "att-ios-client" {
            tokens["TOKEN-2"] = try await server.signUp(secret: Self.secret).token
        }
    }

    func request(of exchange: RecordedExchange) -> TestRequest {
        var path = exchange.path
        for (recorded, id) in events where path.hasPrefix("/v1/events/\(recorded)") {
            let rest = path.dropFirst("/v1/events/\(recorded)".count)
            guard rest.first?.isNumber != true else { continue }
            path = "/v1/events/\(id)\(rest)"
            break
        }
        var head = "\(exchange.method) \(path) HTTP/1.1\r\nHost: humon.test\r\n"
        for header in exchange.headers { head += known(header) + "\r\n" }
        let body = exchange.body ?? ""
        head += exchange.method == "GET" ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return TestRequest(exchange.method, path, wire: "\(head)\r\n\(body)")
    }

    /// The recorded answer in terms of this server's records.
    ///
    /// Learns the token or the id that the answer gives.
    mutating func expectation(of exchange: RecordedExchange, answered: Answer) -> Answer {
        if let difference = differences.removeValue(forKey: exchange.name) { return difference }
        learn(from: exchange, answered: answered)
        var fields = ["content-type": exchange.type]
        // The original tags its answers, too, but those tags were not recorded.
        if exchange.status == 200, exchange.method == "GET" || exchange.method == "HEAD" {
            fields["etag"] = answered.fields["etag"] ?? "a tag"
        }
        return Answer(exchange.status, fields, body: expectedBody(of: exchange))
    }

    private mutating func learn(from exchange: RecordedExchange, answered: Answer) {
        guard exchange.method == "POST", exchange.status == 200 else { return }
        let words = exchange.answer.split(separator: "\"")
        let answeredWords = answered.body.split(separator: "\"")
        if exchange.path == "/v1/users", answeredWords.count > 3 {
            tokens[String(words[3])] = String(answeredWords[3])
        } else if exchange.path == "/v1/events" {
            // Ids count up, so that they need not be taken from the answer.
            let recorded = exchange.answer.filter { $0.isNumber }
            events[recorded] = "\(events.count + 1)"
        }
    }

    private func expectedBody(of exchange: RecordedExchange) -> String {
        let answer = known(exchange.answer)
        let ids = exchange.path == "/v1/users" ? users : events
        for (recorded, id) in ids {
            for end in [",\"lat\"", "}"] where answer.contains("\"id\":\(recorded)\(end)") {
                // An owner's id comes last and is followed by two braces.
                if end == "}", answer.hasSuffix("}}") { continue }
                return answer.replacing("\"id\":\(recorded)\(end)", with: "\"id\":\(id)\(end)")
            }
        }
        return answer
    }

    /// The text with this server's tokens, and without escapes that JSON does not need.
    private func known(_ text: String) -> String {
        var text = text
        for (name, token) in tokens { text = text.replacing(name, with: token) }
        let escapes = ["\\u003c": "<", "\\u003e": ">", "\\u0026": "&", "\\u2028": "\u{2028}"]
        for (escape, character) in escapes { text = text.replacing(escape, with: character) }
        return text
    }
}

/// A line of the recording.
private struct RecordedExchange: Decodable {
    let name: String
    let method: String
    let path: String
    /// Such as `Accept: application/json`.
    let headers: [String]
    let body: String?
    let status: Int
    let type: String
    let answer: String

    static func all() throws -> [RecordedExchange] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("RecordedExchanges.jsonl")
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDecoder().decode(RecordedExchange.self, from: line)
        }
    }
}
