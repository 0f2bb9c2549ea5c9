import Events
import Model
import SharedStorage
import PostgreSQL
import Rules
import System
import Time

/// A store of events in PostgreSQL, whose searches are answered from memory.
struct PostgreSQLEventStore: SearchedEventStore {
    let database: PostgreSQLDatabase

    func find(_ id: Int64) async throws -> Event? {
        let command = Command(lookup: EventStatements.find, together: EventStatements.findAll, id)
        return try await database.first(command) { row in try Event(row) }
    }

    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent? {
        try await database.first(EventStatements.findVisible, .bigint(id), .bigint(viewer)) {
            row in
            var dated = try DatedEvent(row)
            dated.event.ownerName = try row.optionalText(Table.events.columns.count)
            return dated
        }
    }

    func isBlocker(_ token: TokenDigest) async throws -> Bool {
        guard let events = try await database.loadedEvents() else { return true }
        return !events.users.owners(blockedBy: token.bytes).isEmpty
    }

    func representation(of id: Int64, for token: TokenDigest?) async throws -> [UInt8]? {
        // An event by its id does not wait until all events are loaded.
        let all = try await database.loadedEvents()
        if let all, all.keepsContents {
            return all.publicContent(of: id, for: token?.bytes).map { Array($0) }
        }
        if let token, all?.users.owners(blockedBy: token.bytes).isEmpty != true { return nil }
        guard let all else {
            return try await findDated(id, for: nil).map { database.representation.event($0.event) }
        }
        guard var event = try await find(id), event.isPublic else { return nil }
        event.ownerName = all.users.names[event.ownerID]?.text
        return database.representation.event(event)
    }

    func representationInMemory(of id: Int64, for token: TokenDigest?) -> [UInt8]? { nil }

    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64? {
        if !database.seenTokens.contains(token) {
            guard try await database.user(with: token) != nil else { return nil }
            database.seenTokens.insert(token)
        }
        let check = WordCheck(attributes, replacing: nil, database.blockedWords)
        let values =
            [Value.bytes(token.bytes)]
            + attributes.bound(for: EventStatements.created, hidden: check.hidden)
        let create = Command(
            write: EventStatements.create,
            together: EventStatements.createTogether,
            values
        )
        let command =
            check.note.map { note in
                Command(EventStatements.createReported, values + [.text(note)])
            } ?? create
        let creation = command.noting(ChangeNote.events())
        if let id = try await database.number([creation]) { return id }
        guard let user = try await database.user(with: token) else { return nil }
        if user.isBanned { throw ModelError.banned }
        // The token's user may have been merged into another one meanwhile.
        return try await database.number([creation])
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
                if try await replace(event, with: change(event.attributes)) { return true }
                if try await database.isBanned(ownerID) { throw ModelError.banned }
                return false
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
            Command(EventStatements.guests, [id])
                .noting(ChangeNote.attendances(at: event.id)),
            deletion,
        ])
        return rows.last?.isEmpty == false
    }

    /// Replaces an event; returns false if it has changed since it was read.
    private func replace(_ event: Event, with new: EventAttributes) async throws -> Bool {
        let check = WordCheck(new, replacing: event, database.blockedWords)
        let update = Command(
            EventStatements.update,
            event.compared + new.bound(for: EventColumn.changed, hidden: check.hidden)
        ).noting(event.note)
        var commands = [update]
        let (id, now) = (Value.bigint(event.id), Value.bigint(Timestamp.now().milliseconds))
        if let note = check.note {
            let sql = SharedSQL.reportWords.postgresql
            commands.append(Command(sql, [id, .text(note), now]))
        }
        if check.isCleared {
            commands.append(Command(SharedSQL.closeWordReport.postgresql, [id, now]))
        }
        return try await database.write(commands).first?.isEmpty == false
    }
}

extension PostgreSQLDatabase {
    /// Returns whether a user was banned, which a request can notice too late.
    fileprivate func isBanned(_ user: Int64) async throws -> Bool {
        try await first(UserStatements.isBanned, .bigint(user)) { _ in true } == true
    }

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
    func bound(for columns: [EventColumn], hidden: HidingCause?) -> [Value] {
        let now = Timestamp.now()
        return columns.map { column in
            switch column {
            case .createdAt, .updatedAt: .bigint(now.milliseconds)
            case .hidden: column.column.bound(hidden.stored)
            default: column.column.bound(value(of: column))
            }
        }
    }
}

extension Event {
    /// The note of a change of this event.
    fileprivate var note: [Value] {
        ChangeNote.event(of: ownerID, wasPublic: isPublic, at: attributes.coordinate)
    }

    /// The values of `EventStatements.compared`.
    fileprivate var compared: [Value] {
        EventStatements.compared.map { column in
            switch column {
            case .id: .bigint(id)
            case .ownerID: .bigint(ownerID)
            case .hidden: column.column.bound(hidden.stored)
            default: column.column.bound(attributes.value(of: column))
            }
        }
    }
}
