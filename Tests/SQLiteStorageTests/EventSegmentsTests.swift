import EventIndex
import Model
import SQLite
import StorageSupport
import Testing
import System

@testable import SQLiteStorage

/// The segments for searches without all events in memory.
@Suite(.timeLimit(.minutes(2))) struct EventSegmentsTests {
    private let storage: StorageFixture
    private let observed = ObservedEvents()

    private static let names = SegmentSQL.objects.sorted()

    init() async throws {
        storage = try StorageFixture()
        let owner = try await storage.user()
        for number in 1...3 {
            _ = try storage.store(.at(Double(number), 0), ownerID: owner.id)
        }
        storage.database.writer.stop()
    }

    @Test func `exist while the events are not in memory`() async throws {
        let without = try open(bytes: 0)
        try untilObjects(are: Self.names)
        try await expectEvents(in: without)
        without.close()
        #expect(try objects() == Self.names)

        let with = try open(bytes: 1_000_000)
        try untilObjects(are: [])
        try await expectEvents(in: with)
        with.close()

        #expect(observed.all == [])
    }

    /// Otherwise the WAL would grow without a limit.
    @Test(arguments: [0, 10, 1_000_000])
    func `are looked for without keeping a transaction open`(bytes: Int) throws {
        let former = try open(bytes: bytes > 10 ? 0 : 1_000_000)
        try untilObjects(are: bytes > 10 ? Self.names : [])
        former.close()

        let opened = try open(bytes: bytes)
        try untilObjects(are: bytes > 10 ? [] : Self.names)

        let other = try Connection(storage.configuration, .readWrite)
        let isBusy = try other.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.int64(0) }
        #expect(isBusy == 0)
        opened.close()
    }

    @Test func `exist if the events take too much memory`() async throws {
        let storage = try open(bytes: 10)

        try untilObjects(are: Self.names)

        try await expectEvents(in: storage)
        storage.close()
    }

    @Test func `exist once the events take too much memory`() async throws {
        let storage = try open(bytes: 2000)
        _ = try await storage.stores.users.create(token: TokenDigest(2))
        while storage.eventBytes == 0 {}
        #expect(try objects() == [])

        for number in 4...20 {
            _ = try await storage.stores.events.create(
                .at(Double(number), 0),
                token: TokenDigest(2)
            )
        }

        try untilObjects(are: Self.names)
        #expect(storage.eventBytes == 0)
        storage.close()
    }

    /// An event of a segment is cheaper than a row.
    @Test func `let a long search compare as many events as in memory`() async throws {
        var options = try options(bytes: 0)
        options.searchLimits.rows = 1
        options.searchLimits.entries = 3
        let opened = try SQLiteEngine(options).open(for: .serving, observe: observed.note)
        var filter = EventFilter()
        filter.box = .world
        let query = ClusterQuery(filter: filter, zoom: 0)
        var clusters: [EventCluster]?
        while clusters == nil {
            do {
                clusters = try await opened.stores.events.clusters(query)
            } catch let error as ModelError where error == .tooBroad {
                // The segments don't exist yet.
            }
        }
        opened.close()

        #expect(clusters?.reduce(0) { $0 + $1.count } == 3)
    }

    @Test func `are not created by commands`() throws {
        try engine(bytes: 0).open(for: .administration) { _ in }.close()

        #expect(try objects() == [])
    }

    @Test func `are announced if there are many events`() throws {
        try Connection(storage.configuration, .readWrite).run(
            """
            WITH RECURSIVE numbers (n) AS (
                SELECT 4 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000
            )
            INSERT INTO events
                (owner_id, name, latitude, longitude, started_at, created_at, updated_at)
            SELECT 1, 'event', 0, 0, 0, 0, 0 FROM numbers
            """
        )

        let opened = try open(bytes: 0)
        while observed.all.count < 2 {}
        opened.close()

        #expect(observed.all == [.indexing(events: 10_000), .indexed])
    }

    /// Another version of the server may have created some of them, or have been ended meanwhile.
    @Test func `are created again if some exist`() throws {
        let other = try Connection(storage.configuration, .readWrite)
        try other.execute(script: SegmentSQL.creation)
        try other.run("DROP TRIGGER event_segments_insert")
        try other.run("CREATE INDEX events_cell_covering ON events (cell, started_at)")
        try other.run("UPDATE event_segments_2 SET events = x'01' WHERE ordering = 1")

        let opened = try open(bytes: 0)
        try untilObjects(are: Self.names)
        while try storage.number("SELECT count(*) FROM event_segments_2 WHERE events IS NULL") != 0
        {}
        opened.close()

        #expect(try storage.number("SELECT sum(length(events)) FROM event_segments_2") == 3 * 128)
    }

    @Test func `are reported if they can't be created`() async throws {
        try Connection(storage.configuration, .readWrite).run(
            "CREATE VIEW event_segments_2 AS SELECT 1 AS id"
        )

        let opened = try open(bytes: 0)
        while observed.all.isEmpty {}
        try await expectEvents(in: opened)
        opened.close()

        guard case .notIndexed(let cause) = observed.all.first else {
            Issue.record("\(observed.all)")
            return
        }
        #expect(cause.contains("event_segments_2"))
        #expect(try objects() == ["view event_segments_2"])
    }

    @Test func `are created when that becomes possible, and dropped when they are not needed`()
        async throws
    {
        let storage = try StorageFixture()
        let areNeeded = Mutex<Bool?>(true)
        let database = storage.database
        let segments = EventSegments(database.writer, database.readers, observe: observed.note) {
            areNeeded.withLock { $0 }
        }
        func untilObjects(are count: Int) async throws {
            let sql: SQL = """
                SELECT count(*) FROM sqlite_schema WHERE name LIKE 'event_segments%'
                """
            while try storage.number(sql) != Int64(count) { await Task.yield() }
        }
        try await database.writer.write { connection in
            try connection.run("CREATE VIEW event_segments_2 AS SELECT 1 AS id")
        }

        try segments.start()
        while observed.all.isEmpty { await Task.yield() }
        try await untilObjects(are: 1)
        try await database.writer.write { connection in
            try connection.run("DROP VIEW event_segments_2")
        }
        segments.check()
        try await untilObjects(are: SegmentSQL.objects.count - 1)
        areNeeded.withLock { $0 = nil }
        segments.check()
        areNeeded.withLock { $0 = false }
        segments.check()
        try await untilObjects(are: 0)
        segments.stop()

        #expect(observed.all.count == 1)
    }

    /// Changes by any program; the server reads the table until the segments are up to date.
    @Test func `are brought up to date after changes`() async throws {
        let opened = try open(bytes: 0)
        try untilObjects(are: Self.names)
        let outdated: SQL = "SELECT count(*) FROM event_segments_2 WHERE events IS NULL"
        while try storage.number(outdated) != 0 {}

        try Connection(storage.configuration, .readWrite).run(
            "UPDATE events SET started_at = 5 WHERE id = 2"
        )
        while try storage.number(outdated) != 0 {}
        opened.close()

        let starts = try storage.segments(.owners).flatMap { $0.events ?? [] }
        #expect(starts.map(\.keys.values.startedAt) == [0, 5, 0])
    }

    private func engine(bytes: Int) throws -> SQLiteEngine {
        try SQLiteEngine(options(bytes: bytes))
    }

    private func options(bytes: Int) throws -> SQLiteEngine.Options {
        var options = SQLiteEngine.Options(
            path: storage.configuration.path,
            durability: .off,
            migrations: try StorageFixture.migrations(),
            representation: .text
        )
        options.eventIndexBytes = bytes
        return options
    }

    private func open(bytes: Int) throws -> any Storage {
        try engine(bytes: bytes).open(for: .serving, observe: observed.note)
    }

    /// Expects that a search by distance finds all events.
    private func expectEvents(in storage: any Storage) async throws {
        let list = try await storage.stores.events.nearestList(
            to: Coordinate(latitude: 0, longitude: 0),
            within: 1000,
            limit: 10
        )
        let text = String(decoding: list.bytes, as: UTF8.self)
        #expect(text.split(separator: ";").count == 3)
    }

    private func objects() throws -> [String] {
        try Connection(storage.configuration, .queryOnly).all(
            """
            SELECT type || ' ' || name FROM sqlite_schema
            WHERE name LIKE 'event\\_segments%' ESCAPE '\\' OR name = 'events_owner_id'
                OR name LIKE '%covering'
            ORDER BY 1
            """
        ) { row in row.text(0) }
    }

    private func untilObjects(are names: [String]) throws {
        while try objects() != names {}
    }
}
