import Events
import Model
import PostgreSQL
import Rules

extension PostgreSQLEventStore {
    func page(_ query: EventQuery) async throws -> EventPage {
        let origin = query.directionOrigin
        let all = try await database.events()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attendedIDs(query.filter)
        let found = try await database.searches.search(
            allowsPartialPages: query.allowsShortPages
        ) { bounds in
            try all.page(query, attended: attended, bounds)
        }
        let kept = query.needsEvents ? nil : all.events(of: found.matches, query.filter, origin)
        var rows = kept ?? []
        if kept == nil {
            rows = try await read(found.matches, query.filter, all.users, from: origin)
                .compactMap(\.self)
        }
        return EventPage(rows: rows, next: found.next, count: found.count)
    }

    func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let all = try await database.events()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attendedIDs(query.filter)
        let found = try await database.searches.search(allowsPartialPages: false) { bounds in
            try all.clusters(query, attended: attended, bounds)
        }
        let matches = found.map(\.match)
        var events: [FoundEvent?]? = all.events(of: matches, query.filter, nil)
        if events == nil {
            events = try await read(matches, query.filter, all.users, from: nil)
        }
        return zip(found, events ?? []).compactMap { cluster, event in
            event.map { EventCluster(cluster, $0) }
        }
    }

    /// Returns the events of matches from the database, nil for those that were deleted meanwhile,
    /// or that the filter's viewer can't see any more.
    private func read(
        _ matches: [EventMatch],
        _ filter: EventFilter,
        _ users: UserDirectory,
        from origin: DirectionOrigin?
    ) async throws -> [FoundEvent?] {
        let events = try await datedEvents(matches.map(\.id), for: filter.viewer)
        return matches.map { match in
            events[match.id].map { match.event(.event(users.naming($0)), from: origin) }
        }
    }

    /// Returns the events with these ids that a viewer can see.
    ///
    /// One statement reads them.
    func datedEvents(_ ids: [Int64], for viewer: EventViewer) async throws -> [Int64: DatedEvent] {
        guard !ids.isEmpty else { return [:] }
        func event(_ row: Row) throws -> DatedEvent { try DatedEvent(row) }
        let events =
            viewer.isAdmin
            ? try await database.all(EventStatements.findAll, .bigints(ids), make: event)
            : try await database.all(
                EventStatements.findAllVisible,
                .bigints(ids),
                .bigint(viewer.userID),
                make: event
            )
        return Dictionary(events.map { ($0.event.id, $0) }) { $1 }
    }

    /// Returns the ids of the events that the filter's attendee attends, in rising order; nil
    /// without an attendee.
    private func attendedIDs(_ filter: EventFilter) async throws -> [Int64]? {
        guard let attendee = filter.attendeeID else { return nil }
        let limit = database.searches.limits.entries
        let ids = try await database.all(
            EventStatements.attended,
            .bigint(attendee),
            .bigint(Int64(limit))
        ) { row in try row.bigint(0) }
        guard ids.count < limit else { throw ModelError.tooBroad }
        return ids
    }
}
