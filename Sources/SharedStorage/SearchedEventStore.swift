package import Events
package import Model

/// A store of events that finds them in memory, and reads from the database what memory lacks.
package protocol SearchedEventStore: EventStore {
    /// Runs the searches.
    var searches: BroadSearches { get }

    /// Returns all events in memory, with every acknowledged write, once they are loaded.
    func allEvents() async throws -> AllEvents

    /// Returns the ids of the events that a user attends, in rising order.
    func attended(by user: Int64) async throws -> [Int64]

    /// Returns the events with these ids that a viewer can see.
    func datedEvents(_ ids: [Int64], for viewer: EventViewer) async throws -> [Int64: DatedEvent]
}

extension SearchedEventStore {
    package func page(_ query: EventQuery) async throws -> EventPage {
        let origin = query.directionOrigin
        let all = try await allEvents()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attended(in: query.filter)
        let found = try await searches.search(
            allowsPartialPages: query.allowsShortPages
        ) { bounds in
            try all.page(query, attended: attended, bounds)
        }
        var rows = query.needsEvents ? nil : all.events(of: found.matches, query.filter, origin)
        if rows == nil {
            rows = try await read(found.matches, query.filter, all.users, from: origin)
                .compactMap(\.self)
        }
        return EventPage(rows: rows ?? [], next: found.next, count: found.count)
    }

    package func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let all = try await allEvents()
        // Read after the events, so that a guest who was removed sees no later version of one.
        let attended = try await attended(in: query.filter)
        let found = try await searches.search(allowsPartialPages: false) { bounds in
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

    /// Returns the ids of the events that the filter's attendee attends; nil without an attendee.
    private func attended(in filter: EventFilter) async throws -> [Int64]? {
        guard let attendee = filter.attendeeID else { return nil }
        return try await attended(by: attendee)
    }

    /// Returns the events of matches from the database, nil for those that were deleted meanwhile,
    /// or that the filter's viewer can't see any more.
    private func read(
        _ matches: [EventMatch],
        _ filter: EventFilter,
        _ users: UserDirectory,
        from origin: DirectionOrigin?
    ) async throws -> [FoundEvent?] {
        if matches.isEmpty { return [] }
        let events = try await datedEvents(matches.map(\.id), for: filter.viewer)
        return matches.map { match in
            events[match.id].map { match.event(.event(users.naming($0)), from: origin) }
        }
    }
}
