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
            try TransferSession(connection).store(checkins, isStrict: isStrict)
        }
    }

    /// The check-ins with the lowest ids above `id`, in their order; fewer than `limit` are the
    /// last.
    package func export(after id: Int64, limit: Int) throws -> [StoredCheckin] {
        try database.read { connection in
            try TransferSession(connection).checkins(after: id, limit: limit)
        }
    }
}

extension TransferSession {
    /// Stores check-ins as `SQLiteEventStore.importBatch` stores events.
    package func store(_ checkins: [TransferredCheckin], isStrict: Bool) throws -> [ImportResult] {
        try ImportResult.ofEach(checkins, isStrict: isStrict, store)
    }

    /// Returns the same check-ins as `SQLiteCheckinStore.export`.
    package func checkins(after id: Int64, limit: Int) throws -> [StoredCheckin] {
        try connection.all(
            """
            SELECT id, name, category, rating, latitude, longitude, user_name, local_time
            FROM checkins WHERE id > ? ORDER BY id LIMIT ?
            """,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in StoredCheckin(row) }
    }

    private func store(_ record: TransferredCheckin) throws -> ImportResult {
        try connection.store(
            importedUnder: record.id,
            unless: "SELECT 1 FROM checkins WHERE id = ?"
        ) {
            try connection.insert(record.checkin, id: record.id)
            return connection.lastInsertRowID
        }
    }
}
