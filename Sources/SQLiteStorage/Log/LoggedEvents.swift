import EventIndex
import Model
import SQLite

/// The changes of events after a position, as one transaction has read them.
struct LoggedEvents: Sendable {
    let changes: [EventChange]
    /// The position with these changes.
    let position: LogPosition
}

extension SQLiteLog {
    /// Returns the number of the latest change.
    func lastNumber() throws -> Int64 {
        try connection.first("SELECT max(seq) FROM changes") { $0.int64(0) } ?? 0
    }

    /// Returns the changes of events after a position; nil if there are more than the limit, or if
    /// they can't be known.
    func events(
        after known: LogPosition,
        limit: Int,
        _ representation: EventRepresentation
    ) throws -> LoggedEvents? {
        guard let position = try position(), position.follows(known) else { return nil }
        let ids = try connection.all(
            """
            SELECT record_id FROM changes WHERE seq > ? AND kind IN (1, 9) ORDER BY seq LIMIT ?
            """,
            .integer(known.number),
            .integer(Int64(limit) + 1)
        ) { $0.optionalInt64(0) }
        guard ids.count <= limit else { return nil }
        var changes: [EventChange] = []
        var found: Set<Int64> = []
        for id in ids {
            guard let id else { return nil }
            guard found.insert(id).inserted else { continue }
            let event = try connection.first(
                """
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE id = ?
                """,
                .integer(id)
            ) { row in EventChange(Event(row), representation) }
            changes.append(event ?? EventChange(id: id, content: nil))
        }
        return LoggedEvents(changes: changes, position: position)
    }
}
