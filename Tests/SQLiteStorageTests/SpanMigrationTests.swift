import System
import Model
import SQLite
import StorageSupport
import Testing
import Time

@testable import SQLiteStorage

/// The migration that adds the spans of events, and the identity of the installation.
struct SpanMigrationTests {
    private static let name = "0009_prepare_event_queries"

    /// Stores an event for each of `SpanFixture.times`, as an earlier version did.
    private static func storeEvents(on connection: Connection) throws {
        try connection.run("INSERT INTO users (created_at) VALUES (0)")
        for (start, end) in SpanFixture.times {
            try connection.run(
                """
                INSERT INTO events (owner_id, name, latitude, longitude, started_at, ended_at,
                    created_at, updated_at, cell) VALUES (1, 'old', 0, 0, ?, ?, 2, 3, 4)
                """,
                .integer(start),
                .integer(orNull: end)
            )
        }
    }

    @Test func `computes the spans of all events`() throws {
        let storage = try StorageFixture(
            old: (Self.name, { _, connection in try Self.storeEvents(on: connection) })
        )

        try storage.database.readers.read { connection in
            let spans = try connection.all("SELECT span FROM events ORDER BY id") { $0.int64(0) }
            #expect(spans == SpanFixture.spans)
            #expect(try connection.usedSpans() == Array(0...EventSpan.greatest))
            #expect(try connection.faults(.full) == [])
        }
    }

    @Test func `updates the spans of changed events`() async throws {
        let storage = try StorageFixture()
        let user = try await storage.user()
        #expect(try storage.database.readers.read { try $0.usedSpans() } == [])
        var attributes = EventAttributes.at(0, 0)
        let id = try storage.store(attributes, ownerID: user.id)
        #expect(try storage.database.readers.read { try $0.usedSpans() } == [0])

        attributes.endedAt = Timestamp(milliseconds: 3_600_001)
        let changed = attributes
        try await storage.events.update(id, ownerID: user.id) { _ in changed }

        #expect(try storage.database.readers.read { try $0.usedSpans() } == [1])
    }

    @Test func `changes nothing if it fails midway`() throws {
        let storage = try StorageFixture(
            old: (
                Self.name,
                { migrator, connection in
                    try Self.storeEvents(on: connection)
                    let schema = try connection.all("SELECT sql FROM sqlite_schema") { row in
                        row.optionalText(0)
                    }
                    let migrations = try StorageFixture.migrations().map { migration in
                        migration.name == Self.name
                            ? (migration.name, migration.sql + "SELECT missing FROM events;\n")
                            : migration
                    }

                    let error = #expect(throws: MigrationError.self) {
                        try Migrator(
                            migrations,
                            functions: SQLFunction.ofMigrations,
                            configuration: migrator.configuration
                        ).migrate()
                    }

                    #expect(
                        error?.description
                            == "Migration \(Self.name) failed: no such column: missing."
                    )
                    let schemaAfter = try connection.all("SELECT sql FROM sqlite_schema") { row in
                        row.optionalText(0)
                    }
                    #expect(schemaAfter == schema)
                    let pending = try migrator.status().filter { $0.appliedAt == nil }
                    #expect(pending.first?.name == Self.name)
                }
            )
        )

        #expect(try storage.number("SELECT count(*) FROM events WHERE span >= 0") == 45)
    }
}
