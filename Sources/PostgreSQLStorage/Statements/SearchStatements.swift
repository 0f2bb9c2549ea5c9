import PostgreSQL

/// The statements that read events for a search.
///
/// The columns are: id, owner_id, latitude, longitude, name, address, started_at, ended_at,
/// created_at, updated_at, total, number. Such a statement reads a part of a sequence, and returns
/// the rows that match. `total` is the number of rows that it has read. The last one is returned
/// even if it does not match. They have these parameters:
/// - $1: events match if they end after this time; those without an end, if they started in the 24
///   hours before it, which the reader then compares exactly,
/// - $2: or if they start at or after this time,
/// - $3: events match only if they start before this time,
/// - $4: the owner, or 0 for all,
/// - $5: the maximum number of rows to read,
/// - $6: if it has read more rows than this, the statement returns only the last one.
///
/// The inner LIMITs are before the filters, so that they limit what the database reads and not what
/// it finds. And they prevent a plan that reads the whole table.
enum SearchStatements {
    static let places: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER () AS number
            FROM (
                SELECT e.* FROM unnest($7, $8) AS range (first, last)
                CROSS JOIN LATERAL (
                    SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                        created_at, updated_at
                    FROM events WHERE cell BETWEEN range.first AND range.last
                    ORDER BY cell LIMIT $5
                ) AS e
                LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        """
    static let firstStarts: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY started_at, id) AS number
            FROM (
                SELECT e.* FROM unnest($7, $8, $9, $10) AS spans (span, start, id, edge)
                CROSS JOIN LATERAL (
                    SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                        created_at, updated_at
                    FROM events WHERE events.span = spans.span
                        AND (started_at, events.id) > (spans.start, spans.id)
                        AND started_at < spans.edge
                    ORDER BY started_at, events.id LIMIT $5
                ) AS e
                ORDER BY started_at, id LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY started_at, id
        """
    static let lastStarts: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY started_at DESC, id DESC) AS number
            FROM (
                SELECT e.* FROM unnest($7, $8, $9, $10) AS spans (span, start, id, edge)
                CROSS JOIN LATERAL (
                    SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                        created_at, updated_at
                    FROM events WHERE events.span = spans.span
                        AND (started_at, events.id) < (spans.start, spans.id)
                        AND started_at >= spans.edge
                    ORDER BY started_at DESC, events.id DESC LIMIT $5
                ) AS e
                ORDER BY started_at DESC, id DESC LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY started_at DESC, id DESC
        """
    static let firstIDs: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id) AS number
            FROM (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                    created_at, updated_at
                FROM events WHERE id > $7 ORDER BY id LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id
        """
    static let lastIDs: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id DESC) AS number
            FROM (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                    created_at, updated_at
                FROM events WHERE id < $7 ORDER BY id DESC LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id DESC
        """
    static let firstOwned: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id) AS number
            FROM (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                    created_at, updated_at
                FROM events WHERE owner_id = $8 AND id > $7 ORDER BY id LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id
        """
    static let lastOwned: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id DESC) AS number
            FROM (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                    created_at, updated_at
                FROM events WHERE owner_id = $8 AND id < $7 ORDER BY id DESC LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id DESC
        """
    static let firstAttended: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id) AS number
            FROM (
                SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
                    e.ended_at, e.created_at, e.updated_at
                FROM attendances AS a JOIN events AS e ON e.id = a.event_id
                WHERE a.user_id = $8 AND a.event_id > $7 ORDER BY a.event_id LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id
        """
    static let lastAttended: StaticString = """
        SELECT * FROM (
            SELECT *, count(*) OVER () AS total,
                row_number() OVER (ORDER BY id DESC) AS number
            FROM (
                SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
                    e.ended_at, e.created_at, e.updated_at
                FROM attendances AS a JOIN events AS e ON e.id = a.event_id
                WHERE a.user_id = $8 AND a.event_id < $7 ORDER BY a.event_id DESC LIMIT $5
            ) AS scanned
        ) AS counted
        WHERE number = total OR total <= $6
            AND started_at < $3
            AND (started_at >= $2 OR coalesce(ended_at, started_at + 86400000) > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id DESC
        """
    /// All events in ranges of cells, up to the limit in $3, without `total` and `number`.
    static let allPlaces: StaticString = """
        SELECT e.* FROM unnest($1, $2) AS range (first, last)
        CROSS JOIN LATERAL (
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                created_at, updated_at
            FROM events WHERE cell BETWEEN range.first AND range.last
            ORDER BY cell LIMIT $3
        ) AS e
        LIMIT $3
        """

    /// The number of entries in ranges of cells, up to the limit in $3.
    static let placeCount: StaticString = """
        SELECT count(*) FROM (
            SELECT e.cell FROM unnest($1, $2) AS range (first, last)
            CROSS JOIN LATERAL (
                SELECT cell FROM events WHERE cell BETWEEN range.first AND range.last
                ORDER BY cell LIMIT $3
            ) AS e
            LIMIT $3
        ) AS entries
        """
    /// The number of starts in a range for each span, up to the limit in $4.
    static let startCount: StaticString = """
        SELECT count(*) FROM (
            SELECT e.started_at FROM unnest($1, $2, $3) AS spans (span, start, edge)
            CROSS JOIN LATERAL (
                SELECT started_at FROM events
                WHERE events.span = spans.span AND started_at >= spans.start
                    AND started_at < spans.edge
                ORDER BY started_at, events.id LIMIT $4
            ) AS e
            LIMIT $4
        ) AS entries
        """
    /// The number of events of the owner $1, up to the limit in $2.
    static let ownedCount: StaticString = """
        SELECT count(*) FROM (
            SELECT id FROM events WHERE owner_id = $1 ORDER BY id LIMIT $2
        ) AS entries
        """

    static let all = [
        allPlaces, placeCount, startCount, ownedCount, places, firstStarts, lastStarts, firstIDs,
        lastIDs, firstOwned, lastOwned, firstAttended, lastAttended,
    ]
}
