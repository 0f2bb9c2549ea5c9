import EventIndex
package import Model

extension PostgreSQLEventStore {
    package var state: EventsState? { nil }

    package func page(_ query: EventQuery) async throws -> EventPage {
        // Attendances are not in memory.
        let isInMemory = !query.needsEvents && query.filter.attendeeID == nil
        return try await search(inMemory: isInMemory, query.allowsShortPages) { reader, bounds in
            let hints = reader.memory == nil ? database.reachHints : nil
            let found = try await EventSearch(query, hints, bounds).page(in: reader)
            return try page(query, found, reader)
        } onThread: { reader, bounds in
            let found = try EventSearch(query, nil, bounds).page(in: reader)
            return try page(query, found, PostgreSQLEventReader(database, reader.snapshot))
        }
    }

    package func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        try await search(inMemory: true, false) { reader, bounds in
            let found = try await ClusterSearch(query, bounds).clusters(in: reader)
            return try clusters(found, reader)
        } onThread: { reader, bounds in
            let found = try ClusterSearch(query, bounds).clusters(in: reader)
            return try clusters(found, PostgreSQLEventReader(database, reader.snapshot))
        }
    }

    /// Searches in memory if the events are loaded, and otherwise in the database.
    ///
    /// - Parameters:
    ///   - inMemory: Whether the events in memory have all that the result needs.
    ///   - allowsPartialPages: Whether a result may be partial if the search reaches its bounds.
    ///   - search: Searches with a reader, and the bounds for it.
    ///   - onThread: Does the same in memory only, for searches that are too long for a loop.
    /// - Returns: What they return.
    /// - Throws: `ModelError.tooBroad` if the result would exceed all bounds, and the errors of the
    ///   database.
    private func search<Result: Sendable>(
        inMemory: Bool,
        _ allowsPartialPages: Bool,
        _ search: (PostgreSQLEventReader, SearchBounds) async throws -> Result,
        onThread: @escaping @Sendable (MemoryEventReader, SearchBounds) throws -> Result
    ) async throws -> Result {
        let limits = database.searches.limits
        if inMemory, let snapshot = try await database.eventsInMemory() {
            let reader = PostgreSQLEventReader(database, snapshot)
            if let result = try await unlessExceeded({ try await search(reader, .quick(limits)) }) {
                return result
            }
            let memory = MemoryEventReader(snapshot, database.representation)
            let bounds = SearchBounds(
                entries: limits.entries,
                rows: 0,
                allowsPartialPages: false
            )
            let found = try await unlessExceeded {
                try await database.searches.run { try onThread(memory, bounds) }
            }
            if let found { return found }
        }
        // The server compares the rows, so no event loop waits for it.
        let bounds = SearchBounds(
            entries: 0,
            rows: limits.rows,
            allowsPartialPages: allowsPartialPages
        )
        let found = try await unlessExceeded {
            try await search(PostgreSQLEventReader(database), bounds)
        }
        guard let found else { throw ModelError.tooBroad }
        return found
    }

    /// Returns the result of a search, or nil if it would exceed its bounds.
    private func unlessExceeded<Result>(
        _ search: () async throws -> Result
    ) async throws -> Result? {
        do {
            return try await search()
        } catch is SearchExceeded {
            return nil
        } catch {
            throw modelError(for: error)
        }
    }

    private func page(
        _ query: EventQuery,
        _ found: FoundPage,
        _ reader: PostgreSQLEventReader
    ) throws -> EventPage {
        let rows = try zip(found.matches, reader.contents(of: found.matches)).map {
            match,
            content in
            FoundEvent(
                content: content,
                direction: query.filter.origin.map { origin in
                    Direction(from: origin, to: match.point, millimetres: match.millimetres)
                }
            )
        }
        return EventPage(rows: rows, next: found.next, count: found.count)
    }

    private func clusters(
        _ found: [FoundCluster],
        _ reader: PostgreSQLEventReader
    ) throws -> [EventCluster] {
        try zip(found, reader.contents(of: found.map(\.match))).map { cluster, content in
            EventCluster(cluster, FoundEvent(content: content), database.representation)
        }
    }
}
