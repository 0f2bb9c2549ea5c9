import Events
import Model
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

/// The migration that computed the cells of events, which a later one drops.
struct CellMigrationTests {
    private static let name = "0008_store_event_cells"

    /// Stores the places of `KnownCells` as an earlier version has.
    private static func storePlaces(on connection: Connection) throws {
        try connection.run("INSERT INTO users (created_at) VALUES (0)")
        for place in KnownCells.places {
            try connection.run(
                """
                INSERT INTO events (owner_id, name, latitude, longitude, started_at, created_at,
                    updated_at) VALUES (1, 'old', ?, ?, 1, 2, 3)
                """,
                .real(place.latitude),
                .real(place.longitude)
            )
            try connection.run(
                """
                INSERT INTO attendances (user_id, event_id, created_at)
                VALUES (1, last_insert_rowid(), 4)
                """
            )
            // Any point: the migration does not read the tree.
            try connection.run(
                "INSERT INTO events_rtree SELECT max(id), 0, 1, 0, 1, 0, 1 FROM events"
            )
        }
        try connection.run("DELETE FROM events_rtree WHERE id = 9")
        try connection.run("DELETE FROM events WHERE id = 9")
    }

    @Test func `changes no event, and leaves nothing that was only for searches`() async throws {
        let storage = try StorageFixture(
            old: (
                Self.name,
                { _, connection in
                    try Self.storePlaces(on: connection)
                }
            )
        )

        try storage.database.readers.read { connection in
            let columns = try connection.all("SELECT name FROM pragma_table_xinfo('events')") {
                $0.text(0)
            }
            #expect(
                columns == [
                    "id", "owner_id", "name", "address", "latitude", "longitude", "started_at",
                    "ended_at", "created_at", "updated_at", "description", "url", "image_url",
                    "category", "tags", "status", "series_id", "data", "visibility", "all_day",
                    "hidden",
                ]
            )
            #expect(try connection.faults(.full) == [])
        }
        #expect(
            try storage.number("SELECT count(*) FROM sqlite_schema WHERE name GLOB '*rtree*'") == 0
        )
        #expect(try storage.number("SELECT count(*) FROM attendances") == 8)
        #expect(
            try storage.number(
                """
                SELECT count(*) FROM events
                WHERE (owner_id, name, started_at, created_at, updated_at) = (1, 'old', 1, 2, 3)
                """
            ) == 8
        )
        // Ids are never used again.
        #expect(try storage.store(.at(0, 0), ownerID: 1) == 10)
    }

    @Test(
        arguments: [
            (KnownCells.places[0], [1]), (KnownCells.places[1], [2]),
            (KnownCells.places[3], [4, 8]), ((90, -120, 0), [8, 4]),
            ((10, 180, 0), [5, 6]), ((10, -180, 0), [5, 6]), ((10, -179.9999, 0), [6, 5]),
        ] as [((Double, Double, Int64), [Int64])]
    )
    func `makes all events findable`(
        origin: (latitude: Double, longitude: Double, Int64),
        ids: [Int64]
    ) async throws {
        let storage = try StorageFixture(
            old: (
                Self.name,
                { _, connection in
                    try Self.storePlaces(on: connection)
                }
            )
        )

        let near = try await storage.events.nearest(
            to: Coordinate(latitude: origin.latitude, longitude: origin.longitude),
            within: 20,
            limit: 5
        )

        #expect(near.map(\.id) == ids)
    }

    @Test func `changes nothing if it fails midway`() async throws {
        let storage = try StorageFixture(
            old: (
                Self.name,
                { migrator, connection in
                    try Self.storePlaces(on: connection)
                    let schema = try Self.schema(of: connection)
                    let error = #expect(throws: MigrationError.self) {
                        try Migrator(
                            StorageFixture.migrations(),
                            configuration: migrator.configuration
                        ).migrate()
                    }

                    #expect(
                        error?.description == "Migration \(Self.name) failed: "
                            + "no such function: cell_key."
                    )
                    #expect(try Self.schema(of: connection) == schema)
                    let pending = try migrator.status().filter { $0.appliedAt == nil }
                    #expect(pending.first?.name == Self.name)
                    let rows = try connection.all("SELECT count(*) FROM events_rtree") {
                        $0.int64(0)
                    }
                    #expect(rows == [8])
                }
            )
        )

        #expect(try storage.number("SELECT count(*) FROM events") == 8)
    }

    private static func schema(of connection: Connection) throws -> [String] {
        try connection.all("SELECT name || sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
            row.text(0)
        }
    }

    @Test(
        arguments: [
            (9_999, nil), (10_000, .migrating(name: Self.name, events: 10_000)),
        ] as [(Int64, StorageEvent?)]
    )
    func `is announced if there are many events`(count: Int64, event: StorageEvent?) throws {
        _ = try StorageFixture(
            old: (
                Self.name,
                { _, connection in
                    try connection.run("INSERT INTO users (created_at) VALUES (0)")
                    try connection.run(
                        """
                        WITH RECURSIVE numbers (n) AS (
                            SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?
                        )
                        INSERT INTO events (
                            owner_id, name, latitude, longitude, started_at, created_at, updated_at
                        )
                        SELECT 1, 'old', 0, 0, 0, 0, 0 FROM numbers
                        """,
                        .integer(count)
                    )

                    #expect(LongMigration.event(before: Self.name, on: connection) == event)
                    #expect(
                        LongMigration.event(before: "0007_create_todo_tasks", on: connection) == nil
                    )
                }
            )
        )
    }
}
