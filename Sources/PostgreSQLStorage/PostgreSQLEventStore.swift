import EventIndex
package import Model
import PostgreSQL
import System
import Time

/// A store of events in PostgreSQL, whose searches are answered from memory.
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
        try await database.first(EventStatements.findDated, .bigint(id)) { row in
            try DatedEvent(row)
        }
    }

    package func representation(of id: Int64) async throws -> [UInt8]? {
        // An event by its id does not wait until all events are loaded.
        if let snapshot = try await database.loadedEvents(), snapshot.keepsContents {
            return snapshot.content(of: id).map { Array($0) }
        }
        return try await find(id).map(database.representation.event)
    }

    package func representationInMemory(of id: Int64) -> [UInt8]? { nil }

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
                [.bytes(token.bytes)] + attributes.values + [
                    .bigint(Timestamp.now().milliseconds)
                ]
            ).noting(ChangeNote.event(existed: false))
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
                let deletion = Command(EventStatements.delete, values)
                    .noting(ChangeNote.event(of: ownerID, existed: true))
                if try await database.hasRow(deletion) { return true }
                _ = try await ownEvent(id, ownerID: ownerID)
                return false
            }
            return
        }
        try await database.eventQueues.withRecord(id) {
            try await database.change {
                let event = try await ownEvent(id, ownerID: ownerID)
                try precondition(event)
                return try await database.hasRow(
                    Command(EventStatements.deleteUnchanged, event.identity).noting(event.note)
                )
            }
        }
    }

    /// Replaces an event; returns false if it has changed since it was read.
    private func replace(_ event: Event, with new: EventAttributes) async throws -> Bool {
        try await database.hasRow(
            Command(
                EventStatements.update,
                event.identity + new.values + [.bigint(Timestamp.now().milliseconds)]
            ).noting(event.note)
        )
    }

    private func ownEvent(_ id: Int64, ownerID: Int64) async throws -> Event {
        guard let event = try await find(id) else { throw ModelError.notFound }
        guard event.ownerID == ownerID else { throw ModelError.forbidden }
        return event
    }
}

extension DatedEvent {
    /// Reads a row of an event, followed by the columns `created_at` and `updated_at`.
    init(_ row: Row) throws {
        self.init(
            try Event(row),
            createdAt: Timestamp(milliseconds: try row.bigint(8)),
            updatedAt: Timestamp(milliseconds: try row.bigint(9))
        )
    }
}

extension EventAttributes {
    /// The values of `name`, `address`, `latitude`, `longitude`, `started_at` and `ended_at`.
    var values: [Value] {
        [
            .text(name),
            .text(address),
            .number(coordinate.latitude),
            .number(coordinate.longitude),
            .bigint(startedAt.milliseconds),
            .bigint(endedAt?.milliseconds),
        ]
    }
}

extension Coordinate {
    /// Reads the place of a row of an event whose columns begin with `first`.
    init(_ row: Row, from first: Int = 0) throws {
        self.init(latitude: try row.double(first + 2), longitude: try row.double(first + 3))
    }
}

extension Event {
    /// Reads a row whose columns from `first` on are: id, owner_id, latitude, longitude, name,
    /// address, started_at, ended_at.
    init(_ row: Row, from first: Int = 0) throws {
        self.init(
            id: try row.bigint(first),
            ownerID: try row.bigint(first + 1),
            attributes: EventAttributes(
                name: try row.text(first + 4),
                address: try row.optionalText(first + 5),
                coordinate: try Coordinate(row, from: first),
                startedAt: Timestamp(milliseconds: try row.bigint(first + 6)),
                endedAt: try row.optionalBigint(first + 7).map(Timestamp.init(milliseconds:))
            )
        )
    }

    /// The note of a change of this event.
    fileprivate var note: [Value] {
        ChangeNote.event(of: ownerID, existed: true, at: attributes.coordinate)
    }

    /// The values that the conditions of `EventStatements.update` compare.
    fileprivate var identity: [Value] {
        [
            .bigint(id),
            .bigint(ownerID),
            .text(attributes.name),
            .text(attributes.address),
            .double(attributes.coordinate.latitude),
            .double(attributes.coordinate.longitude),
            .bigint(attributes.startedAt.milliseconds),
            .bigint(attributes.endedAt?.milliseconds),
        ]
    }
}
