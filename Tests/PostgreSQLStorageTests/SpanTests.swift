import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import Testing
import Time

@testable import PostgreSQLStorage

/// The column of spans.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct SpanTests {
    private let fixture: PostgreSQLFixture

    init() throws {
        fixture = try PostgreSQLFixture()
    }

    @Test func hasTheSpanOfEachEvent() throws {
        let events = SpanFixture.times.map { start, end in
            EventRecord(
                id: nil,
                ownerID: 1,
                attributes: EventAttributes(
                    name: "event",
                    coordinate: Coordinate(latitude: 0, longitude: 0),
                    startedAt: Timestamp(milliseconds: start),
                    endedAt: end.map(Timestamp.init(milliseconds:))
                )
            )
        }
        #expect(try spans() == "")
        _ = try fixture.storage.transfer.importRecords { session in
            try session.store(events, isStrict: true)
        }

        let found = try fixture.database.database.run("SELECT span FROM events ORDER BY id")
        #expect(found.split(separator: "\n").compactMap { Int64($0) } == SpanFixture.spans)
        #expect(try spans() == (0...EventSpan.greatest).map { "\($0)" }.joined(separator: "\n"))
    }

    private func spans() throws -> String {
        try fixture.database.database.run("\(EventStatements.spans)")
    }
}
