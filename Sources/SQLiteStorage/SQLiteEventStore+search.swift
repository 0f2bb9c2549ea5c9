import Events
import Model
import Rules
import SharedStorage
import SQLite
import System

extension SQLiteEventStore {
    var searches: BroadSearches { database.searches }

    func allEvents() async throws -> AllEvents { try await database.events() }

    /// Returns the ids of the events that a user attends, in rising order.
    ///
    /// A long list is read on the search thread.
    func attended(by user: Int64) async throws -> [Int64] {
        try await searches.search(allowsPartialPages: false) { bounds in
            let ids = try database.read { connection in
                try connection.all(
                    """
                    SELECT event_id FROM attendances WHERE user_id = ? ORDER BY event_id LIMIT ?
                    """,
                    .integer(user),
                    .integer(Int64(bounds.listedIDs) + 1)
                ) { row in row.int64(0) }
            }
            guard ids.count <= bounds.listedIDs else { throw SearchExceeded() }
            return ids
        }
    }

    func datedEvents(_ ids: [Int64], for viewer: EventViewer) async throws -> [Int64: DatedEvent] {
        try database.read { connection in try connection.datedEvents(ids, for: viewer) }
    }
}

extension Connection {
    /// Returns the events with these ids that a viewer can see.
    func datedEvents(
        _ ids: [Int64],
        for viewer: EventViewer
    ) throws -> [Int64: DatedEvent] {
        var values = [Value.list(of: ids)]
        if !viewer.isAdmin { values.append(ColumnValue.integer(orNull: viewer.userID).bound) }
        let sql = viewer.isAdmin ? Self.findEvents : Self.findVisibleEvents
        let events = try all(sql, values: values) { row in DatedEvent(row) }
        return Dictionary(events.map { ($0.event.id, $0) }) { $1 }
    }

    private static let eventsWithIDs = """
        SELECT \(Table.events.list(of: "events"))
        FROM json_each(?1) AS found CROSS JOIN events ON events.id = found.value
        """
    private static let findEvents = SQL(made: eventsWithIDs)
    private static let findVisibleEvents = SQL(
        made: "\(eventsWithIDs) WHERE \(SQL.eventIsVisible)"
    )
}
