import Foundation
import PostgreSQLSupport
import Settings
import StorageSupport
import Support
import Testing

/// Both engines give the same answers, byte by byte, to the same requests.
@Suite(
    .serialized,
    .enabled(
        if: ThrowawayPostgreSQL.isInstalled || NamedDatabase.urlText != nil,
        ThrowawayPostgreSQL.skipped
    )
)
struct EnginesAgreeTests {
    /// The number of requests of a run; `Tests/Engines/run` sends more.
    private static let requestCount =
        ProcessInfo.processInfo.environment["HUMON_ENGINE_REQUESTS"].flatMap(Int.init) ?? 1000

    @Test(arguments: [1, 2] as [UInt64])
    func giveTheSameAnswersToRandomRequests(seed: UInt64) async throws {
        try await withServer(.socket, on: .sqlite, configure: { $0.limitsRates = false }) {
            one in
            try await withServer(
                .socket,
                on: .postgresql,
                configure: { $0.limitsRates = false }
            ) { other in
                try await compare(one, other, seed: seed)
            }
        }
    }

    private func compare(_ one: TestServer, _ other: TestServer, seed: UInt64) async throws {
        var requests = RandomRequests(seed: seed)
        var statuses: [Int: Int] = [:]
        for number in 1...Self.requestCount {
            let request = requests.next()
            let answers = (
                try await one.send(request.request(of: \.one)),
                try await other.send(request.request(of: \.other))
            )
            statuses[answers.0.status, default: 0] += 1
            try #require(
                answers.0.masked == answers.1.masked,
                "request \(number): \(request.method) \(request.target) \(request.body)"
            )
            requests.learn(from: answers, to: request)
        }
        // Otherwise the requests would test nothing.
        for status in [200, 204, 304, 400, 401, 403, 404, 405, 412, 422] {
            #expect(statuses[status, default: 0] > 0, "no status \(status) in \(statuses)")
        }
    }
}

extension Answer {
    /// The answer without what differs each time: times of creation, new tokens, and the entity
    /// tags of answers with them.
    fileprivate var masked: Answer {
        var masked = Answer(
            status,
            fields,
            body:
                body
                .replacing(/_at":"20[23][0-9]-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z"/, with: "T")
                .replacing(/token":"[^"]*"/, with: "K")
        )
        // The tag of a rejected change is that of the record, which can have times.
        if status == 412 || body.contains("account_id") || body.contains("\"completed\"") {
            masked.fields["etag"] = masked.fields["etag"].map { _ in "E" }
        }
        return masked
    }
}
