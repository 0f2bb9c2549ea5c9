import Events
import Model
import Rules
import SQLite
import System

/// The changes of events after a position, as one transaction has read them.
struct LoggedEvents: Sendable {
    let changes: [EventChange]
    /// The position with these changes.
    let position: LogPosition
    /// Whether these are all changes.
    let areAll: Bool
}

extension SQLiteLog {
    /// The number of changes from which it is quicker to load all events.
    private static let mostChanges: Int64 = 100_000

    /// Returns the number of the latest change.
    func lastNumber() throws -> Int64 {
        try connection.first("SELECT max(seq) FROM changes") { $0.int64(0) } ?? 0
    }

    /// Returns the changes of events after a position, at most as many as the limit.
    ///
    /// Returns nil if they can't be known, or if it is quicker to load all events.
    func events(
        after known: LogPosition,
        limit: Int,
        _ representation: EventRepresentation
    ) throws -> LoggedEvents? {
        guard let position = try position(), position.follows(known),
            position.number - known.number <= Self.mostChanges
        else { return nil }
        let rows = try connection.all(
            """
            SELECT seq, record_id FROM changes WHERE seq > ? AND kind IN (1, 9)
            ORDER BY seq LIMIT ?
            """,
            .integer(known.number),
            .integer(Int64(limit) + 1)
        ) { row in (number: row.int64(0), id: row.optionalInt64(1)) }
        var changes: [EventChange] = []
        var found: Set<Int64> = []
        for row in rows.prefix(limit) {
            guard let id = row.id else { return nil }
            guard found.insert(id).inserted else { continue }
            let event = try connection.first(Self.find, .integer(id)) { row in
                EventChange(Event(row), representation)
            }
            changes.append(event ?? EventChange(id: id, content: nil))
        }
        let areAll = rows.count <= limit
        let last = areAll ? position.number : rows.dropLast().last?.number ?? known.number
        return LoggedEvents(
            changes: changes,
            position: LogPosition(log: position.log, number: last, floor: position.floor),
            areAll: areAll
        )
    }

    private static let find = SQL(selectingFrom: .events, "WHERE id = ?")
}
