import PostgreSQL

/// The statements that read the places of events for a search.
///
/// Their rows begin with those of events. Without the LIMIT inside, the planner may read the whole
/// table.
enum PlaceStatements {
    /// The places around the origin on the curve; the last column tells which side it is.
    static let neighbours: SQL = """
        SELECT * FROM (
            SELECT e.*, TRUE FROM unnest($1, $2) AS range (first, last)
            CROSS JOIN LATERAL (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE cell BETWEEN range.first AND range.last
                ORDER BY cell LIMIT $3
            ) AS e
            LIMIT $3
        ) AS after
        UNION ALL
        SELECT * FROM (
            SELECT e.*, FALSE FROM unnest($4, $5) AS range (first, last)
            CROSS JOIN LATERAL (
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE cell BETWEEN range.first AND range.last
                ORDER BY cell DESC LIMIT $6
            ) AS e
            LIMIT $6
        ) AS before
        """

    /// The places in a cover whose latitudes and longitudes differ by at most $5 and $7 from $4 and
    /// $6.
    ///
    /// Differences rather than bounds: from bounds, planners conclude that nearly no row matches,
    /// and sort all rows of a range before they filter them.
    static let cover: SQL = """
        SELECT e.* FROM unnest($1, $2) AS range (first, last)
        CROSS JOIN LATERAL (
            SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
            FROM events WHERE cell BETWEEN range.first AND range.last
                AND abs(latitude - $4) <= $5 AND abs(longitude - $6) <= $7
            ORDER BY cell LIMIT $3
        ) AS e
        LIMIT $3
        """

    static let all = [neighbours, cover]
}
