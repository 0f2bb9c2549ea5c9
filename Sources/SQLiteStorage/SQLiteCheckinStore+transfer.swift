package import Model
import SQLite

/// A check-in as it comes from another place or goes there.
package struct TransferredCheckin: Equatable, Sendable {
    /// The id that it must have; nil for a new one.
    package let id: Int64?
    package let checkin: Checkin

    package init(id: Int64?, checkin: Checkin) {
        self.id = id
        self.checkin = checkin
    }
}

extension SQLiteCheckinStore {
    /// Stores check-ins as `SQLiteEventStore.importBatch` stores events.
    package func importBatch(
        _ checkins: [TransferredCheckin],
        isStrict: Bool = false
    ) async throws -> [ImportResult] {
        try await database.write { connection in
            try ImportResult.ofEach(checkins, isStrict: isStrict) { record in
                try connection.store(
                    importedUnder: record.id,
                    unless: "SELECT 1 FROM checkins WHERE id = ?"
                ) {
                    try connection.insert(record.checkin, id: record.id)
                    return connection.lastInsertRowID
                }
            }
        }
    }

    /// The check-ins with the lowest ids above `id`, in their order; fewer than `limit` are the
    /// last.
    package func export(after id: Int64, limit: Int) throws -> [StoredCheckin] {
        try database.read { connection in
            try connection.all(
                """
                SELECT id, name, category, rating, latitude, longitude, user_name, local_time
                FROM checkins WHERE id > ? ORDER BY id LIMIT ?
                """,
                .integer(id),
                .integer(Int64(max(0, limit)))
            ) { row in StoredCheckin(row) }
        }
    }
}
