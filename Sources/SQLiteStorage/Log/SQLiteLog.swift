import Rules
package import Events
import Model
import SharedStorage
package import SQLite
import System

/// The log of changes in a SQLite database, which triggers write.
package struct SQLiteLog {
    let connection: Connection

    /// Creates a log that a connection reads or prunes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the position of the latest change; nil if the log has no identity.
    package func position() throws -> LogPosition? {
        try connection.first(
            """
            SELECT epoch, coalesce((SELECT max(seq) FROM changes), 0), floor
            FROM feed WHERE id = 1
            """
        ) { row in LogPosition(log: row.text(0), number: row.int64(1), floor: row.int64(2)) }
    }

    /// Gives the log another identity, because its numbers may be used again.
    ///
    /// It changes nothing if the database is from before the log.
    package func renew() throws {
        let isMissing = try connection.all(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'feed'"
        ) { _ in true }.isEmpty
        if isMissing { return }
        try connection.run(SharedSQL.renewLog.sqlite, .text(LogPosition.newIdentity()))
    }

    /// Gives the log another identity after it has lost numbers, and notes that everything may have
    /// changed.
    func renewAfterLoss() throws {
        try renew()
        try connection.run(
            """
            INSERT INTO changes (seq, kind, changed_at)
            SELECT max(floor, coalesce((SELECT max(seq) FROM changes), 0)) + 1, 9,
                CAST(strftime('%s', 'now') AS INTEGER) * 1000
            FROM feed WHERE id = 1
            """
        )
    }

    /// The start of the system that the log knows, under which a power failure may undo commits;
    /// nil if they are durable.
    func start() throws -> String? {
        try connection.first("SELECT boot FROM feed WHERE id = 1") { $0.optionalText(0) } ?? nil
    }

    /// Replaces the start of the system that the log knows.
    func setStart(_ start: String?) throws {
        try connection.run("UPDATE feed SET boot = ? WHERE id = 1", start.map(Value.text) ?? .null)
    }

    /// Returns the changes of events after a position, at most as many as the limit.
    ///
    /// Returns nil if they can't be known, or if it is quicker to load all events. Without
    /// `withContents`, they have no contents.
    func events(
        after known: LogPosition,
        limit: Int,
        _ representation: EventRepresentation,
        withContents: Bool
    ) throws -> LoggedEvents? {
        guard let latest = try position(), LoggedEvents.canBeRead(from: known, to: latest) else {
            return nil
        }
        let rows = try connection.all(
            Self.eventsAfter,
            .integer(known.number),
            // One more tells whether there are more.
            .integer(Int64(limit) + 1)
        ) { row -> (number: Int64, change: EventChange?, user: KnownUser?) in
            let number = row.int64(Self.numberColumn)
            guard let id = row.optionalInt64(Self.numberColumn + 1) else {
                return (number, nil, nil)
            }
            if Self.kindsOfUsers.contains(row.int64(Self.numberColumn + 2)) {
                return (number, nil, try user(row.int64(Self.numberColumn + 3)))
            }
            guard !row.isNull(0) else { return (number, EventChange(id: id, content: nil), nil) }
            return (
                number, EventChange(Event(row), representation, withContent: withContents), nil
            )
        }
        var changes: [EventChange] = []
        var users: [KnownUser] = []
        for row in rows.prefix(limit) {
            if let change = row.change {
                changes.append(change)
            } else if let user = row.user {
                users.append(user)
            } else {
                // All events may have changed.
                return nil
            }
        }
        let areAll = rows.count <= limit
        let last = areAll ? latest.number : rows.dropLast().last?.number ?? known.number
        let position = LogPosition(log: latest.log, number: last, floor: latest.floor)
        return LoggedEvents(changes, users: users, at: position, areAll: areAll)
    }

    /// Returns all users who have a name or block others.
    func users() throws -> [KnownUser] {
        try connection.all(Self.knownUsers) { row in KnownUser(row) }
    }

    /// Returns a user as the database has the user now.
    private func user(_ id: Int64) throws -> KnownUser {
        try connection.first(Self.userWithID, .integer(id)) { row in KnownUser(row) }
            ?? KnownUser(id: id, name: nil, tokens: nil, blocked: nil)
    }

    private static let knownUsers = SQL(
        made: """
            \(knownUser) WHERE name IS NOT NULL
            UNION \(knownUser) WHERE id IN (SELECT user_id FROM blocks)
            """
    )
    private static let userWithID = SQL(made: "\(knownUser) WHERE id = ?")
    private static let knownUser = """
        SELECT id, name,
            (SELECT group_concat(blocked_id) FROM blocks WHERE user_id = users.id) AS blocked,
            (SELECT group_concat(hex(digest)) FROM user_tokens
                WHERE user_id = users.id AND EXISTS (SELECT 1 FROM blocks WHERE user_id = users.id))
        FROM users
        """

    /// The columns of the event, if it exists, and the number, the record, the kind and the user of
    /// the change.
    private static let eventsAfter = SQL(
        made: """
            SELECT \(Table.events.list(of: "events")), changes.seq, changes.record_id, changes.kind,
                changes.user_id
            FROM changes LEFT JOIN events ON changes.kind = 1 AND events.id = changes.record_id
            WHERE changes.seq > ? AND changes.kind IN (1, 4, 5, 9) ORDER BY changes.seq LIMIT ?
            """
    )
    /// Blocks and users.
    private static let kindsOfUsers: Set<Int64> = [4, 5]
    private static let numberColumn = Int32(clamping: Table.events.columns.count)

    /// Deletes some of the oldest changes that need not be retained; call it in a transaction.
    ///
    /// - Parameters:
    ///   - retention: Which changes are retained.
    ///   - now: The time in ms since 1970.
    /// - Returns: Whether there may be more to delete.
    /// - Throws: `SQLiteError`.
    package func prune(_ retention: LogRetention, now: Int64) throws -> Bool {
        try connection.run(
            """
            UPDATE feed SET floor = bound.seq
            FROM (
                SELECT max(seq) AS seq
                FROM (SELECT seq, changed_at FROM changes ORDER BY seq LIMIT ?1),
                    (SELECT max(seq) AS last FROM changes)
                WHERE seq <= last - ?2 OR (seq <= last - ?3 AND changed_at < ?4)
            ) AS bound
            WHERE id = 1 AND floor < bound.seq
            """,
            .integer(retention.rowsAtOnce),
            .integer(max(1, retention.mostRows)),
            .integer(max(1, retention.leastRows)),
            .integer(now - retention.milliseconds)
        )
        if connection.changes == 0 { return false }
        try connection.run("DELETE FROM changes WHERE seq <= (SELECT floor FROM feed WHERE id = 1)")
        return connection.changes >= retention.rowsAtOnce
    }
}

extension KnownUser {
    /// Creates a user from a row with the id, the name, the blocked owners and the tokens.
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0),
            name: row.optionalText(1),
            tokens: row.optionalText(3),
            blocked: row.optionalText(2)
        )
    }
}
