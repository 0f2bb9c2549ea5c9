import EventIndex
package import Model

extension PostgreSQLEventStore {
    package var memoryIdentity: UInt64? { nil }

    package func page(_ query: EventQuery) async throws -> EventPage {
        let reader = PostgreSQLEventReader(database)
        let search = EventSearch(
            query,
            database.reachHints,
            bounds(allowsPartialPages: query.allowsShortPages)
        )
        return try await mappingErrors {
            let found = try await search.page(in: reader)
            let rows = try found.matches.compactMap { match -> FoundEvent? in
                guard let event = try reader.event(match) else { return nil }
                return FoundEvent(
                    content: .event(event),
                    direction: query.filter.origin.map { origin in
                        Direction(from: origin, to: match.point, millimetres: match.millimetres)
                    }
                )
            }
            return EventPage(rows: rows, next: found.next, count: found.count)
        }
    }

    package func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let reader = PostgreSQLEventReader(database)
        let search = ClusterSearch(query, bounds(allowsPartialPages: false))
        return try await mappingErrors {
            try await search.clusters(in: reader).compactMap { cluster in
                guard let event = try reader.event(cluster.match) else { return nil }
                let found = FoundEvent(content: .event(event))
                return EventCluster(cluster, found, database.representation)
            }
        }
    }

    /// What a search may read: the server compares the rows, so no event loop waits for it.
    private func bounds(allowsPartialPages: Bool) -> SearchBounds {
        SearchBounds(
            entries: 0,
            rows: database.searchLimits.rows,
            allowsPartialPages: allowsPartialPages
        )
    }

    private func mappingErrors<Result>(
        _ search: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await search()
        } catch is SearchExceeded {
            throw ModelError.tooBroad
        } catch {
            throw modelError(for: error)
        }
    }
}
