package import Model
package import SQLite
import System

/// The migrations that take long if there are many events.
package enum LongMigration {
    /// The migrations that read or change every event, which takes up to 10 s for a million events.
    private static let namesOfEvents: Set<String> = [
        "0008_store_event_cells", "0009_prepare_event_queries", "0010_cover_event_searches",
        "0011_drop_search_columns",
    ]

    /// Returns the event to announce before a migration, or nil if it won't take long.
    package static func event(before name: String, on connection: Connection) -> StorageEvent? {
        guard namesOfEvents.contains(name) else { return nil }
        // If this fails, so does the migration.
        guard let events = try? connection.manyEvents() else { return nil }
        return .migrating(name: name, events: events)
    }
}

extension Connection {
    /// Returns the number of events if it takes some tenths of a second to read them all.
    func manyEvents() throws -> Int64? {
        let count = try first("SELECT count(*) FROM events") { row in row.int64(0) }
        guard let count, count >= 10_000 else { return nil }
        return count
    }
}
