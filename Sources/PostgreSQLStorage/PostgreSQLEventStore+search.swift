import EventIndex
import Model
import PostgreSQL

extension PostgreSQLEventStore {
    func page(_ query: EventQuery) async throws -> EventPage {
        let attended = try await attendedIDs(query.filter)
        let snapshot = try await database.events()
        let found = try await database.searches.search(
            allowsPartialPages: query.allowsShortPages
        ) { bounds in
            try EventSearch(query, attended: attended, bounds).page(in: snapshot)
        }
        let contents = try await contents(
            of: found.matches,
            in: query.needsEvents ? nil : snapshot
        )
        return EventPage(found, query, contents)
    }

    func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let attended = try await attendedIDs(query.filter)
        let snapshot = try await database.events()
        let found = try await database.searches.search(allowsPartialPages: false) { bounds in
            try ClusterSearch(query, attended: attended, bounds).clusters(in: snapshot)
        }
        let contents = try await contents(of: found.map(\.match), in: snapshot)
        return zip(found, contents).compactMap { cluster, content in
            content.map { EventCluster(cluster, FoundEvent(content: $0)) }
        }
    }

    /// Returns the contents of matches: those that the snapshot keeps, or rows.
    ///
    /// An event that was deleted since the snapshot has no row.
    private func contents(
        of matches: [EventMatch],
        in snapshot: EventSnapshot?
    ) async throws -> [FoundEvent.Content?] {
        if let kept = snapshot?.contents(of: matches) { return kept.map { .json($0) } }
        let events = try await datedEvents(matches.map(\.id))
        return matches.map { match in events[match.id].map { .event($0) } }
    }

    /// Returns the events with these ids, which one statement reads.
    func datedEvents(_ ids: [Int64]) async throws -> [Int64: DatedEvent] {
        guard !ids.isEmpty else { return [:] }
        let events = try await database.all(EventStatements.findAll, .bigints(ids)) { row in
            try DatedEvent(row)
        }
        return Dictionary(events.map { ($0.event.id, $0) }) { $1 }
    }

    /// Returns the ids of the events that the filter's attendee attends, in rising order; nil
    /// without an attendee.
    private func attendedIDs(_ filter: EventFilter) async throws -> [Int64]? {
        guard let attendee = filter.attendeeID else { return nil }
        let limit = database.searches.limits.entries
        let ids = try await database.all(
            AttendanceStatements.attended,
            .bigint(attendee),
            .bigint(Int64(limit))
        ) { row in try row.bigint(0) }
        guard ids.count < limit else { throw ModelError.tooBroad }
        return ids
    }
}
