/// The statements that read events for a search.
///
/// Their rows are: id, owner_id, latitude, longitude, started_at, ended_at.
enum EventSQL {
    static let places: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE cell BETWEEN ? AND ? ORDER BY cell LIMIT ?
        """
    /// The events of a range of cells that start in a range of times, and that start or end after
    /// the beginning of a window.
    static let placesInWindow: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events
        WHERE cell BETWEEN ?1 AND ?2 AND started_at BETWEEN ?3 AND ?4
            AND (started_at >= ?5 OR ended_at > ?5)
        ORDER BY cell LIMIT ?6
        """
    static let firstIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id > ? ORDER BY id LIMIT ?
        """
    static let lastIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id < ? ORDER BY id DESC LIMIT ?
        """
    /// The events of an owner in a range of ids that start in a range of times, that start or end
    /// after the beginning of a window, and that are in a box.
    ///
    /// An error if the covering index doesn't exist, because without an index this would read all
    /// events.
    static let firstOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events INDEXED BY events_owner_id_covering
        WHERE owner_id = ?1 AND id > ?2 AND id <= ?3
            AND started_at BETWEEN ?4 AND ?5 AND (started_at >= ?6 OR ended_at > ?6)
            AND latitude BETWEEN ?7 AND ?8 AND longitude BETWEEN ?9 AND ?10
        ORDER BY id
        """
    static let lastOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events INDEXED BY events_owner_id_covering
        WHERE owner_id = ?1 AND id < ?2 AND id >= ?3
            AND started_at BETWEEN ?4 AND ?5 AND (started_at >= ?6 OR ended_at > ?6)
            AND latitude BETWEEN ?7 AND ?8 AND longitude BETWEEN ?9 AND ?10
        ORDER BY id DESC
        """
    /// The id at an offset among the events of an owner after an id.
    static let ownedIDAfter: StaticString = """
        SELECT id FROM events INDEXED BY events_owner_id_covering
        WHERE owner_id = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?
        """
    /// The id at an offset among the events of an owner before an id, from the last one on.
    static let ownedIDBefore: StaticString = """
        SELECT id FROM events INDEXED BY events_owner_id_covering
        WHERE owner_id = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?
        """
    /// The events of an owner in a block of ids, after an id.
    static let firstOwnedInBlock: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id >> 10 = ? AND owner_id = ? AND id > ? ORDER BY id LIMIT ?
        """
    /// The events of an owner in a block of ids, before an id.
    static let lastOwnedInBlock: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events WHERE id >> 10 = ? AND owner_id = ? AND id < ? ORDER BY id DESC LIMIT ?
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

    /// The key of the event at an offset from a key.
    static let placeAt: StaticString = """
        SELECT cell FROM events WHERE cell >= ? ORDER BY cell LIMIT 1 OFFSET ?
        """
    /// The number of entries in a range of cells, up to a limit.
    static let placeCount: StaticString = """
        SELECT count(*) FROM (SELECT 1 FROM events WHERE cell BETWEEN ? AND ? LIMIT ?)
        """
    /// The number of events of an owner, up to a limit; needs the covering indexes.
    static let ownedCount: StaticString = """
        SELECT count(*) FROM (
            SELECT 1 FROM events INDEXED BY events_owner_id_covering WHERE owner_id = ? LIMIT ?
        )
        """
    /// The number of events of an owner in a block of ids, up to a limit.
    static let ownedCountInBlock: StaticString = """
        SELECT count(*) FROM (
            SELECT 1 FROM events WHERE id >> 10 = ? AND owner_id = ? LIMIT ?
        )
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
        FROM events
        WHERE id IN (
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
        )
        """
    /// The number of parameters of `dated`.
    static let datedAtOnce = 32
}
