import Events
import Model
import PostgreSQL
import Rules
import SharedStorage

extension PostgreSQLEventStore {
    var searches: BroadSearches { database.searches }

    func allEvents() async throws -> AllEvents { try await database.events() }

    func attended(by user: Int64) async throws -> [Int64] {
        let limit = searches.limits.entries
        let ids = try await database.all(
            EventStatements.attended,
            .bigint(user),
            .bigint(Int64(limit))
        ) { row in try row.bigint(0) }
        guard ids.count < limit else { throw ModelError.tooBroad }
        return ids
    }

    /// Returns the events with these ids that a viewer can see.
    ///
    /// One statement reads them.
    func datedEvents(_ ids: [Int64], for viewer: EventViewer) async throws -> [Int64: DatedEvent] {
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
}
