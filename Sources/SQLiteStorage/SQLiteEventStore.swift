import Events
import Model
import SharedStorage
import Rules
import SQLite
import System
import Time

/// A store of events in SQLite, which answers searches from all events in memory.
struct SQLiteEventStore: SearchedEventStore {
    let database: SQLiteDatabase

    func find(_ id: Int64) async throws -> Event? {
        try database.read { connection in try event(id, on: connection) }
    }

    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent? {
        try database.read { connection in
            guard var dated = try connection.visibleEvent(id, for: viewer) else { return nil }
            dated.event.ownerName =
                try connection.first(
                    "SELECT name FROM users WHERE id = ?",
                    .integer(dated.event.ownerID)
                ) { row in row.optionalText(0) } ?? nil
            return dated
        }
    }

    func isBlocker(_ token: TokenDigest) async throws -> Bool {
        guard let events = database.eventsInMemory else { return true }
        return !events.users.owners(blockedBy: token.bytes).isEmpty
    }

    func representation(of id: Int64, for token: TokenDigest?) async throws -> [UInt8]? {
        if let known = representationInMemory(of: id, for: token) { return known }
        if let token, try await isBlocker(token) { return nil }
        return try await findDated(id, for: nil).map { database.representation.event($0.event) }
    }

    func representationInMemory(of id: Int64, for token: TokenDigest?) -> [UInt8]? {
        database.eventsInMemory?.publicContent(of: id, for: token?.bytes).map { Array($0) }
    }

    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64? {
        if !database.seenTokens.contains(token) {
            let isSomeones = try database.read { connection in
                try connection.user(with: token) != nil
            }
            guard isSomeones else { return nil }
            database.seenTokens.insert(token)
        }
        return try await database.write { connection in
            guard let owner = try connection.user(with: token) else { return nil }
            if owner.isBanned { throw ModelError.banned }
            let check = WordCheck(attributes, replacing: nil, database.blockedWords)
            let id = try EventRow(attributes, ownerID: owner.id, hidden: check.hidden)
                .insert(id: nil, on: connection)
            try connection.note(check, ofEvent: id)
            return id
        }
    }

    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await database.write { connection in
            let event = try connection.requireEvent(id, ownedBy: ownerID)
            try precondition?(event)
            if try connection.isBanned(ownerID) { throw ModelError.banned }
            let new = try change(event.attributes)
            let check = WordCheck(new, replacing: event, database.blockedWords)
            try EventRow(new, ownerID: ownerID, hidden: check.hidden)
                .replace(event, on: connection)
            try connection.note(check, ofEvent: id)
        }
    }

    func delete(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>? = nil
    ) async throws {
        try await database.write { connection in
            let event = try connection.requireEvent(id, ownedBy: ownerID)
            try precondition?(event)
            // The schema deletes its attendances with it.
            try connection.run("DELETE FROM events WHERE id = ?", .integer(id))
        }
    }

    private func event(_ id: Int64, on connection: Connection) throws -> Event? {
        try connection.first(Self.find, .integer(id)) { row in Event(row) }
    }

    private static let find = SQL(selectingFrom: .events, "WHERE id = ?")
}

extension Connection {
    /// Returns whether a user was banned, which a request can notice too late.
    func isBanned(_ user: Int64) throws -> Bool {
        try first(
            "SELECT 1 FROM users WHERE id = ? AND banned_at IS NOT NULL",
            .integer(user)
        ) { _ in true } == true
    }

    /// Stores or closes the report of the list of blocked words about an event.
    fileprivate func note(_ check: WordCheck, ofEvent id: Int64) throws(SQLiteError) {
        let now = Value.integer(Timestamp.now().milliseconds)
        if let note = check.note {
            try run(SharedSQL.reportWords.sqlite, .integer(id), .text(note), now)
        }
        if check.isCleared {
            try run(SharedSQL.closeWordReport.sqlite, .integer(id), now)
        }
    }

    /// Returns the event with this id if a user, or anybody if it is nil, can see it.
    fileprivate func visibleEvent(_ id: Int64, for viewer: Int64?) throws -> DatedEvent? {
        let viewer = ColumnValue.integer(orNull: viewer).bound
        return try first(Self.visibleEvent, .integer(id), viewer) { row in DatedEvent(row) }
    }

    private static let visibleEvent = SQL(
        selectingFrom: .events,
        "WHERE id = ?1 AND \(SQL.eventIsVisible)"
    )

    /// Returns a user's own event.
    ///
    /// Throws `ModelError.notFound` if the user can't see it, and `.forbidden` if another user owns
    /// it.
    @discardableResult
    func requireEvent(_ id: Int64, ownedBy userID: Int64) throws -> Event {
        guard let event = try visibleEvent(id, for: userID)?.event else {
            throw ModelError.notFound
        }
        guard event.ownerID == userID else { throw ModelError.forbidden }
        return event
    }
}
