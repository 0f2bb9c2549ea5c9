import EventIndex
import Model
import StorageSupport
import Testing
import Time

@testable import SQLiteStorage

/// The events of an owner, which each state of the storage reads from another place.
struct OwnedEventsTests {
    /// Where the events of an owner are read from.
    enum Source: CaseIterable {
        case blocks, segments, memory
    }

    /// The ids of the first owner's events: several in a block, none in many blocks, and both ends.
    private static let ids: [Int64] =
        Array(1...9) + [1022, 1023, 1024, 1025, 2047, 2048, 5000]
        + (0..<40).map { 100_000 + 3 * $0 } + [1 << 40, (1 << 52) - 2000, 1 << 52]
    /// The ids of another owner's events: in between, and in blocks of their own.
    private static let otherIDs: [Int64] =
        [10, 1021, 1026, 3000, 7000] + (0..<40).map { 100_001 + 3 * $0 } + [(1 << 52) - 1]

    private let storage: StorageFixture
    private let owner: User

    init() async throws {
        storage = try StorageFixture(keepsEvents: true)
        owner = try await storage.user()
        let other = try await storage.user(2)
        let results = try storage.store(
            (Self.ids + Self.otherIDs).map { id in
                var attributes = EventAttributes.at(0, 0)
                attributes.startedAt = Timestamp(milliseconds: id % 7)
                let ownerID = Self.ids.contains(id) ? owner.id : other.id
                return EventRecord(id: id, ownerID: ownerID, attributes: attributes)
            }
        )
        let expected = (Self.ids + Self.otherIDs).map { ImportResult.imported(id: $0) }
        try #require(results == expected)
    }

    private func events(_ source: Source, rows: Int) async throws -> SQLiteEventStore {
        var limits = SearchLimits()
        limits.rows = rows
        if source == .segments {
            return SQLiteEventStore(try storage.databaseWithSegments(BroadSearches(limits: limits)))
        }
        let database = SQLiteDatabase(
            writer: storage.database.writer,
            readers: storage.database.readers,
            representation: .text,
            searches: BroadSearches(limits: limits),
            eventIndex: source == .memory ? storage.eventIndex : nil
        )
        return SQLiteEventStore(database)
    }

    /// Pages of different lengths, and searches that end after so many rows.
    @Test(arguments: Source.allCases, [1, 2, 7, 1000])
    func `are found in the order of their ids`(source: Source, limit: Int) async throws {
        var filter = EventFilter()
        filter.ownerID = owner.id
        for rows in [1, 2, 5, 64, 1000] {
            let events = try await events(source, rows: rows)
            for isDescending in [false, true] {
                let found = try await ids(
                    filter,
                    .id(isDescending: isDescending),
                    limit,
                    in: events
                )

                #expect(found == (isDescending ? Self.ids.reversed() : Self.ids))
            }
        }
    }

    @Test(arguments: Source.allCases)
    func `are found in the order of their starts`(source: Source) async throws {
        let events = try await events(source, rows: 1000)
        var filter = EventFilter()
        filter.ownerID = owner.id
        filter.window = EventWindow(
            from: Timestamp(milliseconds: 2),
            to: Timestamp(milliseconds: 6)
        )

        let found = try await ids(filter, .start(isDescending: false), 5, in: events)

        let expected = Self.ids.filter { (2...5).contains($0 % 7) }
            .sorted { ($0 % 7, $0) < ($1 % 7, $1) }
        #expect(found == expected)
    }

    @Test(arguments: Source.allCases)
    func `are counted`(source: Source) async throws {
        let users = SQLiteUserStore(try await events(source, rows: 1000).database)

        let summary = try await users.summary(ofUserWith: TokenDigest(1))

        #expect(
            summary
                == UserSummary(
                    id: owner.id,
                    eventCount: Int64(Self.ids.count),
                    attendanceCount: 0
                )
        )
        #expect(try await users.summary(ofUserWith: TokenDigest(3)) == nil)
    }

    /// The ids of all pages of a search, joined.
    private func ids(
        _ filter: EventFilter,
        _ order: EventOrder,
        _ limit: Int,
        in events: SQLiteEventStore
    ) async throws -> [Int64] {
        var query = EventQuery(filter: filter, order: order, limit: limit, needsEvents: true)
        var ids: [Int64] = []
        // Each page has a match, or is at least one read further.
        for _ in 1...1000 {
            let page = try await events.page(query)
            for case .event(let event) in page.rows.map(\.content) { ids.append(event.event.id) }
            guard let next = page.next else { return ids }
            query.start = next
        }
        Issue.record("the pages have no end")
        return ids
    }
}
