import EventIndex
package import Model
import SQLite
import System
import Time

/// A store of events in SQLite, with an index of the cells of their places.
package struct SQLiteEventStore: EventStore {
    let database: SQLiteDatabase

    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package func find(_ id: Int64) async throws -> Event? {
        try database.read { connection in
            let cache = EventCache.of(connection, capacity: database.readerCacheBytes)
            if let known = cache[id] { return known }
            let event = try event(id, on: connection)
            if let event { cache.insert(event) }
            return event
        }
    }

    package func findDated(_ id: Int64) async throws -> DatedEvent? {
        try database.read { connection in
            try connection.first(Self.find, .integer(id)) { row in DatedEvent(row) }
        }
    }

    package func nearest(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> [Event] {
        try database.read { connection in
            let cache = EventCache.of(connection, capacity: database.readerCacheBytes)
            let search = NearestSearch(from: origin.unitVector, within: radius, limit: limit)
            func events(_ usesSegments: Bool) throws -> [Event] {
                let reader = SQLitePlaceReader(
                    connection: connection,
                    usesSegments: usesSegments,
                    cache: cache
                )
                let hints = usesSegments ? database.placeHints : nil
                return try reader.events(of: search.nearest(in: reader, hints))
            }
            do {
                return try events(database.hasSegments)
            } catch let error
                where error is SegmentsMissing
                || (error as? SQLiteError)?.isOfMissingSegments == true
            {
                return try events(false)
            }
        }
    }

    package func representation(of id: Int64) async throws -> [UInt8]? {
        if let snapshot = database.eventsInMemory {
            return snapshot.representation(of: id, database.representation)
        }
        return try await find(id).map(database.representation.event)
    }

    package func representationInMemory(of id: Int64) -> [UInt8]? {
        database.eventsInMemory.flatMap { $0.representation(of: id, database.representation) }
    }

    package func nearestList(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> EventList {
        if let snapshot = database.eventsInMemory {
            return try snapshot.list(
                NearestSearch(from: origin.unitVector, within: radius, limit: limit),
                database.representation
            )
        }
        return EventList(
            database.representation,
            of: try await nearest(to: origin, within: radius, limit: limit)
        )
    }

    package func create(
        _ attributes: EventAttributes,
        token: TokenDigest
    ) async throws -> Int64? {
        if !database.seenTokens.contains(token) {
            let isSomeones = try database.read { connection in
                try connection.user(with: token) != nil
            }
            guard isSomeones else { return nil }
            database.seenTokens.insert(token)
        }
        return try await database.write { connection in
            guard let owner = try connection.user(with: token) else { return nil }
            return try EventRow(attributes, ownerID: owner.id).insert(id: nil, on: connection)
        }
    }

    package func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await database.write { connection in
            let event = try ownEvent(id, ownerID: ownerID, on: connection)
            try precondition?(event)
            let changed = EventRow(try change(event.attributes), ownerID: ownerID)
            try changed.replace(event, on: connection)
        }
    }

    package func delete(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil
    ) async throws {
        try await database.write { connection in
            let event = try ownEvent(id, ownerID: ownerID, on: connection)
            try precondition?(event)
            try EventRow.delete(event, on: connection)
        }
    }

    private func ownEvent(
        _ id: Int64,
        ownerID: Int64,
        on connection: Connection
    ) throws -> Event {
        guard let event = try event(id, on: connection) else { throw ModelError.notFound }
        guard event.ownerID == ownerID else { throw ModelError.forbidden }
        return event
    }

    private func event(_ id: Int64, on connection: Connection) throws -> Event? {
        try connection.first(Self.find, .integer(id)) { row in Event(row) }
    }

    private static let find = SQL(selectingFrom: .events, "WHERE id = ?")
}
