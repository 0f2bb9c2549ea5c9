import Events
import Model
import Rules
import SQLite
import StorageSupport
import System
import Testing
import Time

@testable import SQLiteStorage

/// All events in memory are those of the database, after each kind of change.
@Suite struct EventsInMemoryTests {
    private let storage: StorageFixture
    private let picnic = EventAttributes(
        name: "Picnic",
        coordinate: Coordinate(latitude: 37.77, longitude: -122.43),
        startedAt: Timestamp(milliseconds: 0)
    )

    init() throws {
        storage = try StorageFixture(keepsEvents: true)
    }

    private var isLoaded: Bool? { storage.eventIndex.map { $0.loadingPercentage == nil } }

    @Test func followTheWriter() async throws {
        let owner = try await storage.user()
        let id = try #require(try await storage.events.create(picnic, token: TokenDigest(1)))
        try await expect([event(id, picnic, owner)])

        var moved = picnic
        moved.name = "Moved"
        moved.coordinate = Coordinate(latitude: -33.9, longitude: 151.2)
        try await storage.events.update(id, ownerID: owner.id) { [moved] _ in moved }
        try await expect([event(id, moved, owner)])

        let others = try storage.store([
            EventRecord(id: 40, ownerID: owner.id, attributes: picnic),
            EventRecord(id: nil, ownerID: owner.id, attributes: moved),
        ])
        #expect(others == [.imported(id: 40), .imported(id: 41)])
        try await expect([
            event(id, moved, owner), event(40, picnic, owner), event(41, moved, owner),
        ])

        try await storage.events.delete(id, ownerID: owner.id)
        try await expect([event(40, picnic, owner), event(41, moved, owner)])
        #expect(isLoaded == true)
    }

    /// Otherwise new changes would have the numbers of removed ones, and clients would miss them.
    @Test(arguments: [0, 1, 6])
    func areOfAnotherLogAfterItHasLostItsLatestRows(writes: Int) async throws {
        let owner = try await storage.user()
        let records = (0..<9).map { _ in
            EventRecord(id: nil, ownerID: owner.id, attributes: picnic)
        }
        _ = try storage.store(Array(records.prefix(3)))
        let before = try await position()
        try await storage.writeElsewhere { try $0.run("DELETE FROM changes") }

        // In one transaction.
        if writes > 0 { _ = try storage.store(Array(records.prefix(writes))) }

        let after = try await position()
        #expect(after.log != before.log)
        #expect(try storage.number("SELECT count(*) FROM changes WHERE kind = 9") == 1)
        _ = try storage.store(records)
        #expect(try await position().log == after.log)
    }

    @Test func areOfAnotherLogIfItEndsBeforeWhatWasPruned() async throws {
        let before = try await position()
        try await storage.writeElsewhere { connection in
            try connection.execute(script: "DELETE FROM changes; UPDATE feed SET floor = 3")
        }
        let index = LivingEventIndex(contentBytes: 0)

        #expect(storage.loader(of: index).load())

        let position = try #require(index.position)
        #expect(position.log != before.log && position.number == 4)
    }

    /// The position of the events, which are loaded again if they must be.
    private func position() async throws -> LogPosition {
        if storage.database.eventsInMemory == nil { storage.loadEvents() }
        return try #require(try await storage.database.events().position)
    }

    /// A search reads the rows of its matches later, when an event may have become private.
    @Test func areReadByIDOnlyIfTheViewerCanSeeThem() async throws {
        let owner = try await storage.user()
        let stranger = try await storage.user(2)
        let id = try #require(try await storage.events.create(picnic, token: TokenDigest(1)))
        func found(by user: Int64?, isAdmin: Bool = false) throws -> [Int64] {
            let viewer = EventViewer(userID: user, isAdmin: isAdmin)
            return try storage.database.read { connection in
                try connection.datedEvents([id, id + 1], for: viewer).keys.sorted()
            }
        }
        #expect(try found(by: nil) == [id])

        try await storage.events.update(id, ownerID: owner.id) { attributes in
            var changed = attributes
            changed[.visibility] = "private"
            return changed
        }

        #expect(try found(by: nil) == [])
        #expect(try found(by: stranger.id) == [])
        #expect(try found(by: owner.id) == [id])
        #expect(try found(by: nil, isAdmin: true) == [id])
    }

    @Test func ignoreChangesThatWereUndone() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)
        let events = storage.events
        let picnic = picnic

        // Waiting writes share a transaction, in which each of them but the middle one fails.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    do {
                        try await events.update(id, ownerID: owner.id) { attributes in
                            var changed = attributes
                            changed.name = "\(number)"
                            if number != 15 { throw Refusal() }
                            return changed
                        }
                    } catch is Refusal {}
                }
                group.addTask {
                    try await storage.database.writer.write { connection in
                        _ = try connection.first("SELECT 1") { $0.int64(0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        await #expect(throws: Refusal.self) {
            try await storage.database.writer.write { connection in
                try connection.run("DELETE FROM events WHERE id = ?", .integer(id))
                throw Refusal()
            }
        }
        #expect(throws: Refusal.self) {
            try storage.transfer.importRecords { session in
                let record = EventRecord(id: 33, ownerID: owner.id, attributes: picnic)
                _ = try session.store([record], isStrict: true)
                throw Refusal()
            }
        }
        // Both jobs change events before the second one fails.
        let failure = Task { try await events.update(id, ownerID: owner.id + 1) { $0 } }
        let success = Task { try await events.create(picnic, token: TokenDigest(1)) }
        await #expect(throws: ModelError.forbidden) { try await failure.value }
        let second = try #require(try await success.value)

        var changed = picnic
        changed.name = "15"
        try await expect([event(id, changed, owner), event(second, picnic, owner)])
        #expect(isLoaded == true)
    }

    @Test func followOtherProcesses() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)
        try await expect([event(id, picnic, owner)])

        try await storage.writeElsewhere { connection in
            try connection.run("UPDATE events SET name = 'Elsewhere'")
        }

        var changed = picnic
        changed.name = "Elsewhere"
        try await expect([event(id, changed, owner)])
        #expect(isLoaded == true)
    }

    @Test func followOtherProcessesWithoutLoadingAnew() async throws {
        let owner = try await storage.user()
        let first = try storage.store(picnic, ownerID: owner.id)
        let other = try Connection(storage.configuration, .readWrite)
        var generator = SystemRandomNumberGenerator()
        for number in 1...300 {
            let sql = [
                "UPDATE events SET name = 'n\(number)' WHERE id % 3 = 1",
                "INSERT INTO events (owner_id, name, latitude, longitude, started_at, created_at, "
                    + "updated_at) SELECT owner_id, 'n\(number)', latitude, longitude, started_at, "
                    + "0, 0 FROM events ORDER BY id LIMIT 1",
                "DELETE FROM events WHERE id > \(first) AND id % 5 = \(number % 5)",
                "UPDATE events SET id = id + 10000 WHERE id = (SELECT max(id) FROM events)",
                "BEGIN; DELETE FROM events; ROLLBACK", "VACUUM",
                "UPDATE attendances SET created_at = 1",
            ].randomElement(using: &generator)
            try other.execute(script: try #require(sql))
            if number.isMultiple(of: 7) { _ = try storage.store(picnic, ownerID: owner.id) }

            let stored = try other.all(
                """
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events ORDER BY id
                """
            ) { row in Event(row) }
            try await expect(stored)
            #expect(isLoaded == true)
        }
    }

    @Test func followManyChangesOnAThread() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)
        try await storage.writeElsewhere { connection in
            try connection.run(
                """
                WITH RECURSIVE numbers (n) AS (
                    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 40000
                )
                INSERT INTO events (owner_id, name, latitude, longitude, started_at, created_at,
                    updated_at) SELECT 1, 'many', 0, 0, 0, 0, 0 FROM numbers
                """
            )
        }
        #expect(storage.database.eventsInMemory == nil)
        #expect(isLoaded == true && storage.eventIndex?.nextNeed == .changes)
        // A write does not wait for them, and is found after them.
        let second = try storage.store(picnic, ownerID: owner.id)
        #expect(storage.database.eventsInMemory == nil)

        storage.loadEvents()

        #expect(isLoaded == true && storage.eventIndex?.nextNeed == nil)
        #expect(storage.database.eventsInMemory?.publicEvents.content(of: 40_001) != nil)
        for known in [id, second] {
            #expect(
                try await storage.events.representation(of: known, for: nil)
                    == EventRepresentation.text.event(event(known, picnic, owner))
            )
        }
    }

    @Test func rejectRequestsThatWaitForManyChangesTooLong() async throws {
        let index = LivingEventIndex(contentBytes: .max)
        let loader = storage.loader(of: index)
        #expect(loader.load())
        index.noteBehind()

        let error = await #expect(throws: ModelError.self) { try await index.loaded { nil } }

        let text = "The storage is busy. Try again in a moment."
        #expect(error == .unavailable(reason: text))
        #expect(loader.load())
        #expect(index.nextNeed == nil)
        index.stop()
    }

    @Test(arguments: [
        "UPDATE events SET name = 'a'; UPDATE events SET name = 'b'; "
            + "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes); "
            + "UPDATE feed SET floor = (SELECT max(seq) - 1 FROM changes)",
        "UPDATE events SET name = 'b'; UPDATE feed SET epoch = '0badcafe'",
        "UPDATE events SET name = 'b'; INSERT INTO changes (kind, changed_at) VALUES (9, 0)",
        "UPDATE events SET name = 'b'; DELETE FROM changes",
    ])
    func loadAnewIfTheLogLacksChanges(sql: String) async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)

        try Connection(storage.configuration, .readWrite).execute(script: sql)

        #expect(storage.database.eventsInMemory == nil)
        storage.loadEvents()
        var changed = picnic
        changed.name = "b"
        try await expect([event(id, changed, owner)])
    }

    @Test func haveTheZeroOfTheDatabase() async throws {
        let owner = try await storage.user()
        var attributes = picnic
        attributes.coordinate = Coordinate(latitude: -0.0, longitude: -0.0)

        let id = try storage.store(attributes, ownerID: owner.id)

        attributes.coordinate = Coordinate(latitude: 0, longitude: 0)
        try await expect([event(id, attributes, owner)])
        let stored = try #require(try await storage.events.find(id))
        #expect(stored.attributes.coordinate.latitude.sign == .plus)
    }

    @Test func includeTheSmallestAndTheGreatestID() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)
        try await storage.writeElsewhere { connection in
            for other in [Int64.min, Int64.max] {
                try connection.run(
                    """
                    INSERT INTO events (id, owner_id, name, address, latitude, longitude,
                        started_at, ended_at, created_at, updated_at)
                    SELECT ?, owner_id, name, address, latitude, longitude,
                        started_at, ended_at, created_at, updated_at FROM events WHERE id = ?
                    """,
                    .integer(other),
                    .integer(id)
                )
            }
        }
        #expect(isLoaded == true)
        #expect(try await storage.events.representation(of: id, for: nil) != nil)

        storage.loadEvents()

        #expect(isLoaded == true)
        for known in [id, .min, .max] {
            #expect(
                try await storage.events.representation(of: known, for: nil)
                    == EventRepresentation.text.event(event(known, picnic, owner))
            )
        }
    }

    @Test func followOtherProcessesBetweenTwoWrites() async throws {
        let owner = try await storage.user()
        let id = try storage.store(picnic, ownerID: owner.id)

        try await storage.writeElsewhere { connection in
            try connection.run("UPDATE events SET name = 'Elsewhere'")
        }
        // No reader has looked in between.
        let second = try storage.store(picnic, ownerID: owner.id)

        var changed = picnic
        changed.name = "Elsewhere"
        #expect(isLoaded == true)
        try await expect([event(id, changed, owner), event(second, picnic, owner)])
    }

    private func event(_ id: Int64, _ attributes: EventAttributes, _ owner: User) -> Event {
        Event(id: id, ownerID: owner.id, attributes: attributes)
    }

    /// Expects these events, sorted by id, in the database and in what clients get.
    private func expect(_ events: [Event]) async throws {
        let text = EventRepresentation.text
        for id in Int64(0)...50 {
            let expected = events.first { $0.id == id }
            #expect(try await storage.events.find(id) == expected)
            #expect(
                try await storage.events.representation(of: id, for: nil)
                    == expected.map(text.event)
            )
        }
        storage.loadEvents()
        let found = try await storage.events.nearest(
            to: picnic.coordinate,
            within: .infinity,
            limit: 100
        )
        #expect(found.sorted { $0.id < $1.id } == events)
    }
}

private struct Refusal: Error {}
