import Events
import Model
import Rules
import SQLite
import System

extension SQLiteEventStore {
    func page(_ query: EventQuery) async throws -> EventPage {
        let origin = query.directionOrigin
        let all = try await database.events()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attended(by: query.filter.attendeeID)
        let found = try await database.searches.search(
            allowsPartialPages: query.allowsShortPages
        ) { bounds in
            try all.page(query, attended: attended, bounds)
        }
        let kept = query.needsEvents ? nil : all.events(of: found.matches, query.filter, origin)
        let rows =
            try kept
            ?? read(found.matches, query.filter, all.users, from: origin).compactMap(\.self)
        return EventPage(rows: rows, next: found.next, count: found.count)
    }

    func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let all = try await database.events()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attended(by: query.filter.attendeeID)
        let found = try await database.searches.search(allowsPartialPages: false) { bounds in
            try all.clusters(query, attended: attended, bounds)
        }
        let matches = found.map(\.match)
        let events =
            try all.events(of: matches, query.filter, nil)
            ?? read(matches, query.filter, all.users, from: nil)
        return zip(found, events).compactMap { found, event in
            event.map { EventCluster(found, $0) }
        }
    }

    /// Returns the ids of the events that a user attends, in rising order; nil without a user.
    ///
    /// A long list is read on the search thread.
    private func attended(by user: Int64?) async throws -> [Int64]? {
        guard let user else { return nil }
        return try await database.searches.search(allowsPartialPages: false) { bounds in
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

    /// Returns the events of matches from the database, nil for those that were deleted meanwhile,
    /// or that the filter's viewer can't see any more.
    private func read(
        _ matches: [EventMatch],
        _ filter: EventFilter,
        _ users: UserDirectory,
        from origin: DirectionOrigin?
    ) throws -> [FoundEvent?] {
        if matches.isEmpty { return [] }
        let events = try database.read { connection in
            try connection.datedEvents(matches.map(\.id), for: filter.viewer)
        }
        return matches.map { match in
            events[match.id].map { match.event(.event(users.naming($0)), from: origin) }
        }
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
