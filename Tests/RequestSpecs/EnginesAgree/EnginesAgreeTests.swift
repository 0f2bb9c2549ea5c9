import Foundation
import Model
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

    /// What only responses with events have: pages in each format, clusters, and their next pages.
    private static let rowMarks = [
        #""events":[{"#, #""features":[{"#, "BEGIN:VEVENT", "<entry>", "000Z,", "Z  #",
        #""clusters":[{"#, #""type":"Feature","id""#, #""next":""#, #""distance":"#,
    ]

    /// PostgreSQL's side has all events in memory with one seed, and reads rows with the other.
    @Test(arguments: [(1, 400), (2, 0)] as [(UInt64, Int)])
    func giveTheSameAnswersToRandomRequests(seed: UInt64, megabytes: Int) async throws {
        try await withServer(.socket, on: .sqlite, configure: { $0.limitsRates = false }) {
            one in
            try await withServer(
                .socket,
                on: .postgresql,
                configure: { configuration in
                    configuration.limitsRates = false
                    configuration.storageLimits.eventCacheMegabytes = megabytes
                }
            ) { other in
                try await compare(one, other, seed: seed)
            }
        }
    }

    private func compare(_ one: TestServer, _ other: TestServer, seed: UInt64) async throws {
        // Calendars and feeds have identifiers that are made from that of the installation.
        for server in [one, other] {
            try server.change(
                "UPDATE installation SET uuid = '8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51'"
            )
        }
        var requests = RandomRequests(seed: seed)
        var statuses: [Int: Int] = [:]
        var missingMarks = Self.rowMarks
        for number in 1...Self.requestCount {
            let request = requests.next()
            let answers = (
                try await one.send(request.request(of: \.one)),
                try await other.send(request.request(of: \.other))
            )
            statuses[answers.0.status, default: 0] += 1
            missingMarks.removeAll { answers.0.body.contains($0) }
            let (left, right) =
                answers.0 == answers.1
                ? answers : (answers.0.masked(for: request), answers.1.masked(for: request))
            try #require(
                left == right,
                "request \(number): \(request.method) \(request.target) \(request.body)"
            )
            requests.learn(from: answers, to: request)
        }
        // Otherwise the requests would test nothing.
        for status in [200, 204, 304, 400, 401, 403, 404, 405, 412, 422] {
            #expect(statuses[status, default: 0] > 0, "no status \(status) in \(statuses)")
        }
        #expect(missingMarks.isEmpty)
    }
}

extension Answer {
    /// The answer without what differs each time: times of creation, new tokens, and the entity
    /// tags of answers with them.
    fileprivate func masked(for request: PairedRequest) -> Answer {
        let time = /20[23][0-9]-?[0-9]{2}-?[0-9]{2}T[0-9:]{6,8}(\.[0-9]{3})?Z/
        var masked = Answer(
            status,
            fields,
            body: body.replacing(time, with: "T").replacing(/token":"[^"]*"/, with: "K")
        )
        // The tag of a rejected change is that of the record, which can have times.
        if status == 412 || request.showsCreation || masked.body != body {
            masked.fields["etag"] = masked.fields["etag"].map { _ in "E" }
        }
        return masked
    }
}
