import Events
import Model
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

/// A database with the migrations and tables of versions between two releases.
@Suite struct UnreleasedMigrationTests {
    /// The schema of such a version, after the migrations that were released.
    private static let script = """
        DROP INDEX events_cell;
        CREATE INDEX events_cell ON events (cell);
        DROP INDEX events_owner_id;
        INSERT INTO schema_migrations (name, checksum, applied_at)
        VALUES ('0011_narrow_event_indexes', 'a', 1), ('0012_drop_owner_blocks', 'b', 2);
        CREATE INDEX events_cell_covering
            ON events (cell, started_at, ended_at, owner_id, latitude, longitude);
        CREATE INDEX events_owner_id ON events (owner_id);
        CREATE TABLE event_segments (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE event_segments_2 (id INTEGER PRIMARY KEY, key INTEGER) STRICT;
        CREATE INDEX event_segments_2_outdated ON event_segments_2 (key);
        CREATE TRIGGER event_segments_insert AFTER INSERT ON events BEGIN
            INSERT INTO event_segments_2 (key) VALUES (NEW.id);
        END;
        INSERT INTO users (created_at) VALUES (0);
        INSERT INTO events (owner_id, name, latitude, longitude, cell, started_at, created_at,
            updated_at)
        VALUES (1, 'old', 10, 20, 0, 1, 2, 3);
        """

    @Test func getTheSameSchema() async throws {
        let storage = try StorageFixture(
            old: ("0011", { _, connection in try connection.execute(script: Self.script) })
        )

        #expect(try schema(of: storage) == schema(of: StorageFixture()))
        let near = try await storage.events.nearest(
            to: Coordinate(latitude: 10, longitude: 20),
            within: 1,
            limit: 5
        )
        #expect(near.map(\.id) == [1])
        #expect(try storage.store(.at(0, 0), ownerID: 1) == 2)
    }

    private func schema(of storage: StorageFixture) throws -> [String] {
        try storage.database.readers.read { connection in
            try connection.all("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name") {
                $0.text(0)
            }
        }
    }
}
