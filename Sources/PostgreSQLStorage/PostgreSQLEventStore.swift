import EventIndex
package import Model
import PostgreSQL
import System
import Time

/// A store of events in PostgreSQL, with an index of the cells of their places.
package struct PostgreSQLEventStore: EventStore {
    let database: PostgreSQLDatabase

    package init(_ database: PostgreSQLDatabase) {
        self.database = database
    }

    package func find(_ id: Int64) async throws -> Event? {
        let command = Command(
            lookup: EventStatements.find,
            together: EventStatements.findAll,
            id
        )
        return try await database.first(command) { row in try Event(row) }
    }

    package func findDated(_ id: Int64) async throws -> DatedEvent? {
        try await database.first(EventStatements.find, .bigint(id)) { row in
            try DatedEvent(row)
        }
    }

    package func nearest(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> [Event] {
        let reader = PostgreSQLPlaceReader(database)
        let search = NearestSearch(from: origin.unitVector, within: radius, limit: limit)
        defer { database.nearestTotals.add(reads: reader.readCount) }
        do {
            let records = try await search.records(in: reader, database.reachHints)
            return try records.map { try reader.event($0) }
        } catch {
            throw modelError(for: error)
        }
    }

    package func representation(of id: Int64) async throws -> [UInt8]? {
        guard let snapshot = try await database.eventsInMemory() else {
            return try await find(id).map(database.representation.event)
        }
        return snapshot.representation(of: id, database.representation)
    }

    package func representationInMemory(of id: Int64) -> [UInt8]? {
        nil
    }

    package func nearestList(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> EventList {
        if let snapshot = try await database.eventsInMemory() {
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
            guard try await database.user(with: token) != nil else { return nil }
            database.seenTokens.insert(token)
        }
        return try await database.number(
            Command(
                write: EventStatements.create,
                together: EventStatements.createTogether,
                [.bytes(token.bytes)] + attributes.bound(for: EventStatements.created)
            )
        )
    }

    package func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await database.eventQueues.withRecord(id) {
            try await database.change {
                let event = try await ownEvent(id, ownerID: ownerID)
                try precondition?(event)
                return try await replace(event, with: change(event.attributes))
            }
        }
    }

    package func delete(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil
    ) async throws {
        guard let precondition else {
            try await database.change {
                let values = [Value.bigint(id), .bigint(ownerID)]
                if try await database.hasRow(EventStatements.delete, values) { return true }
                _ = try await ownEvent(id, ownerID: ownerID)
                return false
            }
            return
        }
        try await database.eventQueues.withRecord(id) {
            try await database.change {
                let event = try await ownEvent(id, ownerID: ownerID)
                try precondition(event)
                return try await database.hasRow(EventStatements.deleteUnchanged, event.compared)
            }
        }
    }

    /// Replaces an event; returns false if it has changed since it was read.
    private func replace(_ event: Event, with new: EventAttributes) async throws -> Bool {
        try await database.hasRow(
            EventStatements.update,
            event.compared + new.bound(for: EventColumn.changed)
        )
    }

    private func ownEvent(_ id: Int64, ownerID: Int64) async throws -> Event {
        guard let event = try await find(id) else { throw ModelError.notFound }
        guard event.ownerID == ownerID else { throw ModelError.forbidden }
        return event
    }
}

extension EventAttributes {
    /// Returns the values of columns of an event that is created or changed now.
    func bound(for columns: [EventColumn]) -> [Value] {
        let now = Timestamp.now()
        return columns.map { column in
            switch column {
            case .createdAt, .updatedAt: .bigint(now.milliseconds)
            case .cell: .bigint(coordinate.cell)
            default: column.column.bound(value(of: column))
            }
        }
    }
}

extension Event {
    /// The values of `EventStatements.compared`.
    fileprivate var compared: [Value] {
        EventStatements.compared.map { column in
            switch column {
            case .id: .bigint(id)
            case .ownerID: .bigint(ownerID)
            default: column.column.bound(attributes.value(of: column))
            }
        }
    }
}
