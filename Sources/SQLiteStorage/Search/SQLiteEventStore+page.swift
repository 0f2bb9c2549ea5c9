import EventIndex
package import Model
import SQLite
import Time

extension SQLiteEventStore {
    package var state: EventsState? {
        if let snapshot = database.eventsInMemory { return .memory(snapshot.identity) }
        return database.readers.version.map(EventsState.init)
    }

    // The two attempts are written for each kind of search. One function for both would need a
    // closure that can be sent to another thread, also for quick searches: 1% of the instructions
    // of a nearest page.
    package func page(_ query: EventQuery) async throws -> EventPage {
        do {
            return try page(query, quickBounds)
        } catch is SearchExceeded {
            let bounds = broadBounds(allowsPartialPages: query.allowsShortPages)
            return try await onSearchThread { try page(query, bounds) }
        }
    }

    package func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        do {
            return try clusters(query, quickBounds)
        } catch is SearchExceeded {
            let bounds = broadBounds(allowsPartialPages: false)
            return try await onSearchThread { try clusters(query, bounds) }
        }
    }

    private var quickBounds: SearchBounds { .quick(database.searches.limits) }

    private func broadBounds(allowsPartialPages: Bool) -> SearchBounds {
        .broad(database.searchLimits, allowsPartialPages: allowsPartialPages)
    }

    /// Runs a search that exceeded the quick bounds, so that the calling thread can serve others.
    private func onSearchThread<Result: Sendable>(
        _ search: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await database.searches.run {
            do {
                return try search()
            } catch is SearchExceeded {
                throw ModelError.tooBroad
            }
        }
    }

    private func clusters(
        _ query: ClusterQuery,
        _ bounds: SearchBounds
    ) throws -> [EventCluster] {
        try withReader { reader in
            let found = try ClusterSearch(query, bounds).clusters(in: reader)
            let representation = database.representation
            var clusters: [EventCluster] = []
            clusters.reserveCapacity(found.count)
            try forEachContent(
                of: found.map(\.match),
                needsEvents: false,
                reader
            ) { index, content in
                let event = FoundEvent(content: content)
                clusters.append(EventCluster(found[index], event, representation))
            }
            return clusters
        }
    }

    private func page(_ query: EventQuery, _ bounds: SearchBounds) throws -> EventPage {
        try withReader { reader in
            let hints = reader.hasPlacesInMemory ? nil : database.reachHints
            let found = try EventSearch(query, hints, bounds).page(in: reader)
            return EventPage(
                rows: try rows(of: found.matches, query, reader),
                next: found.next,
                count: found.count,
                state: reader.state
            )
        }
    }

    /// Calls `body` with a reader, and again with another one if the segments that it reads have
    /// been dropped.
    private func withReader<Result>(
        _ body: (SQLiteEventReader) throws -> Result
    ) throws -> Result {
        do {
            return try body(SQLiteEventReader(database, usesSegments: database.hasSegments))
        } catch is SegmentsMissing {
            return try body(SQLiteEventReader(database, usesSegments: false))
        }
    }

    /// Returns the found events without those that were deleted in the meantime.
    private func rows(
        of matches: [EventMatch],
        _ query: EventQuery,
        _ reader: SQLiteEventReader
    ) throws -> [FoundEvent] {
        let origin = query.filter.origin
        var rows: [FoundEvent] = []
        rows.reserveCapacity(matches.count)
        try forEachContent(of: matches, needsEvents: query.needsEvents, reader) { index, content in
            let match = matches[index]
            let direction = origin.map { origin in
                Direction(from: origin, to: match.point, millimetres: match.millimetres)
            }
            rows.append(FoundEvent(content: content, direction: direction))
        }
        return rows
    }

    /// Calls `body` with the content of each event that a search has found, and its index.
    ///
    /// Leaves out those that were deleted in the meantime.
    private func forEachContent(
        of matches: [EventMatch],
        needsEvents: Bool,
        _ reader: SQLiteEventReader,
        _ body: (_ index: Int, FoundEvent.Content) -> Void
    ) throws {
        if matches.isEmpty { return }
        if !needsEvents, let snapshot = reader.snapshot,
            snapshot.forEachPackedRepresentation(of: matches, { body($0, .packed($1)) })
        {
            return
        }
        let events = try reader.datedEvents(matches.map(\.id))
        for (index, match) in matches.enumerated() {
            if let event = events[match.id] { body(index, .event(event)) }
        }
    }
}
