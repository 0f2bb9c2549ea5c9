package import Model

// The searches of both storages. This file is the interface; the rest of the module moves to it.

extension EventSearch {
    /// Creates a search of the events in memory.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - attended: The ids of the events that the filter's attendee attends, in rising order;
    ///     nil without an attendee.
    ///   - bounds: How much the search may read.
    package init(_ query: EventQuery, attended: [Int64]? = nil, _ bounds: SearchBounds) {
        self.init(query, nil, bounds)
    }

    /// Returns the page; throws `SearchExceeded` if it would exceed the bounds.
    package func page(in snapshot: EventSnapshot) throws -> FoundPage {
        try page(in: MemoryEventReader(snapshot, .none))
    }
}

extension ClusterSearch {
    /// Creates a search of the events in memory; the parameters are those of `EventSearch`.
    package init(_ query: ClusterQuery, attended: [Int64]?, _ bounds: SearchBounds) {
        self.init(query, bounds)
    }

    /// Returns the clusters; throws `SearchExceeded` if it would exceed the bounds.
    package func clusters(in snapshot: EventSnapshot) throws -> [FoundCluster] {
        try clusters(in: MemoryEventReader(snapshot, .none))
    }
}

extension EventRepresentation {
    fileprivate static let none = EventRepresentation(event: { _ in [] }, list: (0, 0, 0))
}

extension SearchBounds {
    /// Creates bounds of a search in memory.
    package init(entries: Int, allowsPartialPages: Bool) {
        self.init(entries: entries, rows: 0, allowsPartialPages: allowsPartialPages)
    }
}

extension BroadSearches {
    /// Returns the result of a search: on the calling thread if it is quick, and otherwise on the
    /// search thread.
    ///
    /// - Parameters:
    ///   - allowsPartialPages: Whether the result may be short on the search thread.
    ///   - search: Searches within bounds, and throws `SearchExceeded` beyond them.
    /// - Throws: `ModelError.tooBroad` if it would exceed all bounds, and the errors of `run`.
    package func search<Result: Sendable>(
        allowsPartialPages: Bool,
        _ search: @escaping @Sendable (SearchBounds) throws -> Result
    ) async throws -> Result {
        do {
            return try search(.quick(limits))
        } catch is SearchExceeded {
            let bounds = SearchBounds.broad(limits, allowsPartialPages: allowsPartialPages)
            return try await run {
                do {
                    return try search(bounds)
                } catch is SearchExceeded {
                    throw ModelError.tooBroad
                }
            }
        }
    }
}

extension EventSnapshot {
    /// Returns the contents of matches in this snapshot, or nil if it keeps no contents: then read
    /// the rows of the matches by their ids.
    package func contents(of matches: [EventMatch]) -> [ArraySlice<UInt8>]? {
        var contents: [ArraySlice<UInt8>] = []
        contents.reserveCapacity(matches.count)
        let areKept = forEachPackedRepresentation(of: matches) { contents.append($1) }
        return areKept ? contents : nil
    }

    /// Returns the content of an event, or nil if it doesn't exist or no contents are kept.
    package func content(of id: Int64) -> ArraySlice<UInt8>? { packedRepresentation(of: id) }
}

extension EventPage {
    /// Creates the page of what a search has found.
    ///
    /// - Parameters:
    ///   - found: What the search has found.
    ///   - query: The query.
    ///   - contents: The content of each match, nil for an event that was deleted meanwhile.
    ///   - state: The state that the page is of.
    package init(
        _ found: FoundPage,
        _ query: EventQuery,
        _ contents: [FoundEvent.Content?],
        state: EventsState?
    ) {
        var rows: [FoundEvent] = []
        rows.reserveCapacity(contents.count)
        for (match, content) in zip(found.matches, contents) {
            guard let content else { continue }
            let direction = query.filter.origin.map { origin in
                Direction(from: origin, to: match.point, millimetres: match.millimetres)
            }
            rows.append(FoundEvent(content: content, direction: direction))
        }
        self.init(rows: rows, next: found.next, count: found.count, state: state)
    }
}
