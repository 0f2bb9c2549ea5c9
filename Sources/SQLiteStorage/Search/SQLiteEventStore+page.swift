import EventIndex
package import Model
import SQLite
import Time

extension SQLiteEventStore {
    package var memoryIdentity: UInt64? { database.eventsInMemory?.identity }

    package func page(_ query: EventQuery) async throws -> EventPage {
        let broad = SearchBounds.broad(
            database.searches.limits,
            allowsPartialPages: query.allowsShortPages
        )
        return try await search(broad) { bounds in try page(query, bounds) }
    }

    package func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let broad = SearchBounds.broad(database.searches.limits, allowsPartialPages: false)
        return try await search(broad) { bounds in try clusters(query, bounds) }
    }

    /// Runs a search on the calling thread, or on the search thread if it exceeds the quick bounds.
    private func search<Result: Sendable>(
        _ broad: SearchBounds,
        _ search: @escaping @Sendable (SearchBounds) throws -> Result
    ) async throws -> Result {
        do {
            return try search(.quick(database.searches.limits))
        } catch is SearchExceeded {
            return try await database.searches.run {
                do {
                    return try search(broad)
                } catch is SearchExceeded {
                    throw ModelError.tooBroad
                }
            }
        }
    }

    private func clusters(
        _ query: ClusterQuery,
        _ bounds: SearchBounds
    ) throws -> [EventCluster] {
        let reader = SQLiteEventReader(database)
        let found = try ClusterSearch(query, database.reachHints, bounds).clusters(in: reader)
        let events = try rows(
            of: found.map(\.match),
            EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 1),
            reader
        )
        return zip(found, events).compactMap { cluster, event in
            event.map { EventCluster(cluster, $0, database.representation) }
        }
    }

    private func page(_ query: EventQuery, _ bounds: SearchBounds) throws -> EventPage {
        let reader = SQLiteEventReader(database)
        let found = try EventSearch(query, database.reachHints, bounds).page(in: reader)
        return EventPage(
            rows: try rows(of: found.matches, query, reader).compactMap(\.self),
            next: found.next,
            count: found.count,
            memoryIdentity: reader.hasReadRows ? nil : reader.snapshot?.identity
        )
    }

    /// Returns the found events, with nil for events that were deleted in the meantime.
    private func rows(
        of matches: [EventMatch],
        _ query: EventQuery,
        _ reader: SQLiteEventReader
    ) throws -> [FoundEvent?] {
        let unread = matches.filter { query.needsEvents || $0.location == nil }.map(\.id)
        let events = unread.isEmpty ? [:] : try reader.datedEvents(unread)
        return matches.map { match in
            let direction = query.filter.origin.map { origin in
                Direction(from: origin, to: match.point, millimetres: match.millimetres)
            }
            if let event = events[match.id] {
                return FoundEvent(content: .event(event), direction: direction)
            }
            guard !query.needsEvents, let snapshot = reader.snapshot, let location = match.location
            else { return nil }
            return FoundEvent(
                content: .representation(snapshot.representation(at: location)),
                direction: direction
            )
        }
    }
}
