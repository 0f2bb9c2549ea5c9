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
        let contents = try FoundContents(of: found.map(\.match), needsEvents: false, reader)
        return found.compactMap { cluster in
            contents[cluster.match].map { content in
                EventCluster(cluster, FoundEvent(content: content), database.representation)
            }
        }
    }

    private func page(_ query: EventQuery, _ bounds: SearchBounds) throws -> EventPage {
        let reader = SQLiteEventReader(database)
        let found = try EventSearch(query, database.reachHints, bounds).page(in: reader)
        return EventPage(
            rows: try rows(of: found.matches, query, reader),
            next: found.next,
            count: found.count,
            memoryIdentity: reader.hasReadRows ? nil : reader.snapshot?.identity
        )
    }

    /// Returns the found events without those that were deleted in the meantime.
    private func rows(
        of matches: [EventMatch],
        _ query: EventQuery,
        _ reader: SQLiteEventReader
    ) throws -> [FoundEvent] {
        let contents = try FoundContents(of: matches, needsEvents: query.needsEvents, reader)
        let origin = query.filter.origin
        var rows: [FoundEvent] = []
        rows.reserveCapacity(matches.count)
        for match in matches {
            guard let content = contents[match] else { continue }
            let direction = origin.map { origin in
                Direction(from: origin, to: match.point, millimetres: match.millimetres)
            }
            rows.append(FoundEvent(content: content, direction: direction))
        }
        return rows
    }
}

/// The contents of events that a search has found.
private struct FoundContents {
    private let snapshot: EventSnapshot?
    /// Those that are not in memory, or all if the query needs events.
    private let events: [Int64: DatedEvent]
    private let needsEvents: Bool

    init(
        of matches: [EventMatch],
        needsEvents: Bool,
        _ reader: SQLiteEventReader
    ) throws {
        snapshot = reader.snapshot
        self.needsEvents = needsEvents
        let unread = matches.lazy.filter { needsEvents || $0.location == nil }.map(\.id)
        events = unread.isEmpty ? [:] : try reader.datedEvents(Array(unread))
    }

    /// Returns the content of an event, or nil if it was deleted in the meantime.
    subscript(match: EventMatch) -> FoundEvent.Content? {
        if let event = events[match.id] { return .event(event) }
        guard !needsEvents, let snapshot, let location = match.location else { return nil }
        return .packed(snapshot.packedRepresentation(at: location))
    }
}
