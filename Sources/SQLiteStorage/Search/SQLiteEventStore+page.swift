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

    /// Returns the result of a search: here if it is quick, otherwise on a thread of its own.
    private func search<Result: Sendable>(
        _ broad: SearchBounds,
        _ search: @escaping @Sendable (SearchBounds) throws -> Result
    ) async throws -> Result {
        do {
            return try search(.quick)
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
        let search = ClusterSearch(query, database.reachHints, bounds)
        return try read { reader in
            let found = try search.clusters(in: reader)
            let events = try rows(
                of: found.map(\.match),
                EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 1),
                reader
            )
            return zip(found, events).compactMap { cluster, event in
                event.map { EventCluster(cluster, $0, database.representation) }
            }
        }
    }

    private func page(_ query: EventQuery, _ bounds: SearchBounds) throws -> EventPage {
        let search = EventSearch(query, database.reachHints, bounds)
        return try read { reader in
            let found = try search.page(in: reader)
            return EventPage(
                rows: try rows(of: found.matches, query, reader).compactMap(\.self),
                next: found.next,
                count: found.count,
                memoryIdentity: reader.connection == nil ? reader.snapshot?.identity : nil
            )
        }
    }

    /// Returns the result of a search, which uses the database only if it must.
    private func read<Result: Sendable>(
        _ search: @Sendable (SQLiteEventReader) throws -> Result
    ) throws -> Result {
        let snapshot = database.eventsInMemory
        let representation = database.representation
        if snapshot != nil {
            do {
                return try search(
                    SQLiteEventReader(
                        connection: nil,
                        snapshot: snapshot,
                        representation: representation
                    )
                )
            } catch is SQLiteEventReader.NeedsConnection {}
        }
        return try database.read { connection in
            try search(
                SQLiteEventReader(
                    connection: connection,
                    snapshot: snapshot,
                    representation: representation
                )
            )
        }
    }

    /// Returns the events that a search has found, nil for those that were deleted since.
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
                content: .representation(Array(snapshot.representation(at: location))),
                direction: direction
            )
        }
    }
}
