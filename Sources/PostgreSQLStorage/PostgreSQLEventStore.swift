import Events
import Model
import PostgreSQL
import Rules
import System
import Time

/// A store of events in PostgreSQL, whose searches are answered from memory.
struct PostgreSQLEventStore: EventStore {
    let database: PostgreSQLDatabase

    func find(_ id: Int64) async throws -> Event? {
        let command = Command(lookup: EventStatements.find, together: EventStatements.findAll, id)
        return try await database.first(command) { row in try Event(row) }
    }

    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent? {
        try await database.first(EventStatements.findVisible, .bigint(id), .bigint(viewer)) {
            row in
            try DatedEvent(row)
        }
    }

    func representation(of id: Int64) async throws -> [UInt8]? {
        // An event by its id does not wait until all events are loaded.
        if let all = try await database.loadedEvents(), all.keepsContents {
            return all.publicEvents.content(of: id).map { Array($0) }
        }
        return try await find(id).flatMap { event in
            event.attributes.isPrivate ? nil : database.representation.event(event)
        }
    }

    func representationInMemory(of id: Int64) -> [UInt8]? { nil }

    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64? {
        if !database.seenTokens.contains(token) {
            guard try await database.user(with: token) != nil else { return nil }
            database.seenTokens.insert(token)
        }
        return try await database.number(
            Command(
                write: EventStatements.create,
                together: EventStatements.createTogether,
                [.bytes(token.bytes)] + attributes.bound(for: EventStatements.created)
            ).noting(ChangeNote.newEvent())
        )
    }

    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await database.eventQueues.withRecord(id) {
            try await database.change {
                let event = try await database.event(id, ownedBy: ownerID)
                try precondition?(event)
                return try await replace(event, with: change(event.attributes))
            }
        }
    }

    func delete(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil
    ) async throws {
        // The server's own log has the place of the event, which must be read before.
        guard precondition != nil || database.log.isWrittenByServer else {
            return try await database.change {
                let values = [Value.bigint(id), .bigint(ownerID)]
                if try await database.hasRow(Command(EventStatements.delete, values)) {
                    return true
                }
                _ = try await database.event(id, ownedBy: ownerID)
                return false
            }
        }
        try await database.eventQueues.withRecord(id) {
            try await database.change {
                let event = try await database.event(id, ownedBy: ownerID)
                try precondition?(event)
                return try await delete(event)
            }
        }
    }

    /// Deletes an event; returns false if it has changed since it was read.
    private func delete(_ event: Event) async throws -> Bool {
        let deletion = Command(EventStatements.deleteUnchanged, event.compared).noting(event.note)
        guard database.log.isWrittenByServer else { return try await database.hasRow(deletion) }
        let id = Value.bigint(event.id)
        let rows = try await database.write([
            Command(EventStatements.lock, [id]),
            Command(AttendanceStatements.users, [id])
                .noting(ChangeNote.attendances(at: event.id)),
            deletion,
        ])
        return rows.last?.isEmpty == false
    }

    /// Replaces an event; returns false if it has changed since it was read.
    private func replace(_ event: Event, with new: EventAttributes) async throws -> Bool {
        try await database.hasRow(
            Command(
                EventStatements.update,
                event.compared + new.bound(for: EventColumn.changed)
            ).noting(event.note)
        )
    }
}

extension PostgreSQLDatabase {
    /// Returns a user's own event.
    ///
    /// Throws `ModelError.notFound` if the user can't see it, and `.forbidden` if another user owns
    /// it.
    func event(_ id: Int64, ownedBy userID: Int64) async throws -> Event {
        let events = PostgreSQLEventStore(database: self)
        if let event = try await events.find(id), event.ownerID == userID { return event }
        let isVisible = try await events.findDated(id, for: userID) != nil
        throw isVisible ? ModelError.forbidden : ModelError.notFound
    }
}

extension EventAttributes {
    /// Returns the values of columns of an event that is created or changed now.
    func bound(for columns: [EventColumn]) -> [Value] {
        let now = Timestamp.now()
        return columns.map { column in
            switch column {
            case .createdAt, .updatedAt: .bigint(now.milliseconds)
            default: column.column.bound(value(of: column))
            }
        }
    }
}

extension Event {
    /// The note of a change of this event.
    fileprivate var note: [Value] {
        ChangeNote.event(of: ownerID, wasPublic: !attributes.isPrivate, at: attributes.coordinate)
    }

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
