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

/// What became of an `ImportedEvent`.
package enum ImportResult: Equatable, Sendable {
    /// Stored under this id.
    case imported(id: Int64)
    /// Not stored, because there is an event with its id.
    case idIsTaken
    /// Not stored, because its id or its owner's is not within 1 to `largestImportedID`.
    case idIsOutOfRange
    /// Not stored, because the schema refuses a value of it.
    case refused(reason: String)
}

extension SQLiteEventStore {
    /// The largest id that an import may bring; above it there is room for 2^62 ids more, all of
    /// which a 64-bit integer holds.
    package static let largestImportedID: Int64 = 1 << 52

    /// Stores events in one transaction and returns what became of each, in their order.
    ///
    /// Owners that do not exist are made, without a token. An event that cannot be stored does not
    /// keep the others from it. Throws as the other functions do, then with nothing stored.
    package func importBatch(_ events: [ImportedEvent]) async throws -> [ImportResult] {
        try await database.write { connection in
            var knownOwners: Set<Int64> = []
            return try events.map { event in
                try store(event, knownOwners: &knownOwners, on: connection)
            }
        }
    }

    /// The events with the lowest ids above `id`, in their order; fewer than `limit` are the last.
    package func export(after id: Int64, limit: Int) throws -> [Event] {
        try database.read { connection in
            try connection.all(
                """
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE id > ? ORDER BY id LIMIT ?
                """,
                .integer(id),
                .integer(Int64(max(0, limit)))
            ) { row in Event(row) }
        }
    }

    private func store(
        _ event: ImportedEvent,
        knownOwners: inout Set<Int64>,
        on connection: Connection
    ) throws -> ImportResult {
        let ids = 1...SQLiteEventStore.largestImportedID
        guard ids.contains(event.ownerID), event.id.map(ids.contains) ?? true else {
            return .idIsOutOfRange
        }
        if let id = event.id, try isTaken(id, on: connection) { return .idIsTaken }
        if !knownOwners.contains(event.ownerID) {
            try makeOwner(event.ownerID, on: connection)
            knownOwners.insert(event.ownerID)
        }
        do {
            // A statement that violates a constraint is undone alone, without a savepoint.
            let record = EventRow(event.attributes, ownerID: event.ownerID)
            return .imported(id: try record.insert(id: event.id, on: connection))
        } catch {
            guard error.code.primary == .constraint else { throw error }
            return .refused(reason: error.message)
        }
    }

    private func isTaken(_ id: Int64, on connection: Connection) throws -> Bool {
        try connection.first("SELECT 1 FROM events WHERE id = ?", .integer(id)) { _ in true }
            ?? false
    }

    private func makeOwner(_ id: Int64, on connection: Connection) throws {
        try connection.run(
            "INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .integer(id),
            .integer(Timestamp.now().milliseconds)
        )
    }
}
