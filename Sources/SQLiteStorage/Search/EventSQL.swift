import SQLite

/// The statements that read events for a search.
///
/// Their rows are: id, owner_id, latitude, longitude, started_at, ended_at.
enum EventSQL {
    static let places: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE cell BETWEEN ? AND ? ORDER BY cell LIMIT ?
        """
    static let firstIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id > ? ORDER BY id LIMIT ?
        """
    static let lastIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id < ? ORDER BY id DESC LIMIT ?
        """
    /// The events of an owner in a range of ids.
    static let firstOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id BETWEEN ? AND ? AND owner_id = ? ORDER BY id LIMIT ?
        """
    /// The events of an owner in a range of ids, the last one first.
    static let lastOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id BETWEEN ? AND ? AND owner_id = ? ORDER BY id DESC LIMIT ?
        """
    static let nextID: StaticString = "SELECT min(id) FROM events WHERE id > ?"
    static let formerID: StaticString = "SELECT max(id) FROM events WHERE id < ?"
    static let firstAttended: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM (
            SELECT event_id FROM attendances
            WHERE user_id = ? AND event_id > ? ORDER BY event_id LIMIT ?
        ) CROSS JOIN events ON id = event_id ORDER BY event_id
        """
    static let lastAttended: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM (
            SELECT event_id FROM attendances
            WHERE user_id = ? AND event_id < ? ORDER BY event_id DESC LIMIT ?
        ) CROSS JOIN events ON id = event_id ORDER BY event_id DESC
        """

    /// The events of a span, which the index yields in the order of their starts.
    static let starts: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE span = ? AND started_at >= ? AND started_at < ?
        """
    static let firstStarts: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events
        WHERE span = ?1 AND (started_at, id) > (max(?2, ?4), iif(?2 < ?4, -1, ?3))
            AND started_at < ?5
        ORDER BY started_at, id LIMIT ?6
        """
    static let lastStarts: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events
        WHERE span = ?1 AND (started_at, id) < (min(?2, ?5), iif(?2 < ?5, ?3, -1))
            AND started_at >= ?4
        ORDER BY started_at DESC, id DESC LIMIT ?6
        """

    /// The number of events of an owner; an error without the index that is created with segments.
    static let ownedCount: StaticString = """
        SELECT count(*) FROM events INDEXED BY events_owner_id WHERE owner_id = ?
        """
    /// The number of events of an owner, whatever indexes exist.
    static let ownedCountOfAll: StaticString = """
        SELECT count(*) FROM events WHERE owner_id = ?
        """
    /// The number of starts in a range, up to a limit.
    static let startCount: StaticString = """
        SELECT count(*) FROM (
            SELECT 1 FROM events
            WHERE span = ? AND started_at >= ? AND started_at < ? LIMIT ?
        )
        """

    /// Its rows are those of `DatedEvent`.
    static let dated: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM (
            VALUES (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?),
                (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?)
        ) AS found CROSS JOIN events ON id = found.column1
        """
    /// The number of parameters of `dated`.
    static let datedAtOnce = 32
}
