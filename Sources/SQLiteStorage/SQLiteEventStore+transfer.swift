package import Model
import SQLite

/// An event as it comes from another place.
package struct ImportedEvent: Sendable {
    /// The id that it must have; nil for a new one.
    package let id: Int64?
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64?, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }
}

extension SQLiteEventStore {
    /// Stores events in one transaction and returns what became of each, in their order.
    ///
    /// Owners that do not exist are made, without a token. An event that cannot be stored does not
    /// keep the others from it, unless `isStrict`: then it is the last that has a result, and none
    /// behind it is stored. Throws as the other functions do, then with nothing stored.
    package func importBatch(
        _ events: [ImportedEvent],
        isStrict: Bool = false
    ) async throws -> [ImportResult] {
        try await database.write { connection in
            try TransferSession(connection).store(events, isStrict: isStrict)
        }
    }

    /// The events with the lowest ids above `id`, in their order; fewer than `limit` are the last.
    package func export(after id: Int64, limit: Int) throws -> [Event] {
        try database.read { connection in
            try TransferSession(connection).events(after: id, limit: limit)
        }
    }
}

extension TransferSession {
    /// Stores events as `SQLiteEventStore.importBatch` does.
    package func store(_ events: [ImportedEvent], isStrict: Bool) throws -> [ImportResult] {
        var knownOwners: Set<Int64> = []
        return try ImportResult.ofEach(events, isStrict: isStrict) { event in
            try store(event, knownOwners: &knownOwners)
        }
    }

    /// Returns the same events as `SQLiteEventStore.export`.
    package func events(after id: Int64, limit: Int) throws -> [Event] {
        try connection.all(
            """
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
            FROM events WHERE id > ? ORDER BY id LIMIT ?
            """,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in Event(row) }
    }

    private func store(
        _ event: ImportedEvent,
        knownOwners: inout Set<Int64>
    ) throws -> ImportResult {
        guard ImportResult.allows(event.ownerID) else { return .idIsOutOfRange }
        return try connection.store(
            importedUnder: event.id,
            unless: "SELECT 1 FROM events WHERE id = ?"
        ) {
            if !knownOwners.contains(event.ownerID) {
                try makeUser(event.ownerID)
                knownOwners.insert(event.ownerID)
            }
            let row = EventRow(event.attributes, ownerID: event.ownerID)
            return try row.insert(id: event.id, on: connection)
        }
    }

    /// Makes a user without a token, unless there is one with this id.
    func makeUser(_ id: Int64) throws {
        try connection.run(
            "INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .integer(id),
            .integer(Timestamp.now().milliseconds)
        )
    }
}
