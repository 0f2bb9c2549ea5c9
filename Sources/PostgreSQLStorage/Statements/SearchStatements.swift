/// The statements that read events for a search.
///
/// The columns are: id, owner_id, latitude, longitude, name, address, started_at, ended_at,
/// created_at, updated_at. All statements have these parameters:
/// - $1: events match if they end after this time,
/// - $2: or if they start at or after this time,
/// - $3: events match only if they start before this time,
/// - $4: the owner, or 0 for all,
/// - $5: the maximum number of rows.
///
/// The inner LIMIT prevents a plan that reads the whole table.
enum SearchStatements {
    static let places: StaticString = """
        SELECT e.* FROM unnest($6, $7) AS range (first, last)
        CROSS JOIN LATERAL (
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                created_at, updated_at
            FROM events WHERE cell BETWEEN range.first AND range.last
                AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
                AND ($4 = 0 OR owner_id = $4)
            ORDER BY cell LIMIT $5
        ) AS e
        LIMIT $5
        """
    static let firstStarts: StaticString = """
        SELECT e.* FROM unnest($8, $9) AS spans (span, first)
        CROSS JOIN LATERAL (
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                created_at, updated_at
            FROM events WHERE events.span = spans.span AND started_at >= spans.first
                AND (started_at, id) > ($6, $7)
                AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
                AND ($4 = 0 OR owner_id = $4)
            ORDER BY started_at, id LIMIT $5
        ) AS e
        ORDER BY started_at, id LIMIT $5
        """
    static let lastStarts: StaticString = """
        SELECT e.* FROM unnest($8, $9) AS spans (span, first)
        CROSS JOIN LATERAL (
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
                created_at, updated_at
            FROM events WHERE events.span = spans.span AND started_at >= spans.first
                AND (started_at, id) < ($6, $7)
                AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
                AND ($4 = 0 OR owner_id = $4)
            ORDER BY started_at DESC, id DESC LIMIT $5
        ) AS e
        ORDER BY started_at DESC, id DESC LIMIT $5
        """
    static let firstIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE id > $6
            AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id LIMIT $5
        """
    static let lastIDs: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE id < $6
            AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id DESC LIMIT $5
        """
    static let firstOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE owner_id = $7 AND id > $6
            AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id LIMIT $5
        """
    static let lastOwned: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE owner_id = $7 AND id < $6
            AND started_at < $3 AND (started_at >= $2 OR ended_at > $1)
            AND ($4 = 0 OR owner_id = $4)
        ORDER BY id DESC LIMIT $5
        """
    static let firstAttended: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at, e.created_at, e.updated_at
        FROM attendances AS a JOIN events AS e ON e.id = a.event_id
        WHERE a.user_id = $7 AND a.event_id > $6
            AND e.started_at < $3 AND (e.started_at >= $2 OR e.ended_at > $1)
            AND ($4 = 0 OR e.owner_id = $4)
        ORDER BY a.event_id LIMIT $5
        """
    static let lastAttended: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at, e.created_at, e.updated_at
        FROM attendances AS a JOIN events AS e ON e.id = a.event_id
        WHERE a.user_id = $7 AND a.event_id < $6
            AND e.started_at < $3 AND (e.started_at >= $2 OR e.ended_at > $1)
            AND ($4 = 0 OR e.owner_id = $4)
        ORDER BY a.event_id DESC LIMIT $5
        """

    static let all = [
        places, firstStarts, lastStarts, firstIDs, lastIDs, firstOwned, lastOwned, firstAttended,
        lastAttended,
    ]
}
