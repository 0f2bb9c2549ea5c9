/// The statements about events.
///
/// Rows of events are: id, owner_id, latitude, longitude, name, address, started_at, ended_at.
enum EventStatements {
    static let find: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id = $1
        """

    static let findAll: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id = ANY ($1)
        """

    static let findDated: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE id = $1
        """

    static let findAllDated: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at,
            created_at, updated_at
        FROM events WHERE id = ANY ($1)
        """

    /// No row means that no user has the token.
    static let create: StaticString = """
        WITH owner AS (SELECT id FROM users WHERE token_digest = $1)
        INSERT INTO events
            (owner_id, name, address, latitude, longitude, started_at, ended_at, created_at,
            updated_at)
        SELECT owner.id, $2, $3, $4, $5, $6, $7, $8, $8 FROM owner
        RETURNING id
        """

    /// Creates several events, with ids in the order of their positions.
    ///
    /// Without the LIMIT, the planner may read all users.
    static let createTogether: StaticString = """
        WITH made AS (
            SELECT nextval('events_id_seq') AS id, ordered.* FROM (
                SELECT owner.id AS owner_id, new.name, new.address, new.latitude, new.longitude,
                    new.started_at, new.ended_at, new.created_at, new.position
                FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS new
                    (token_digest, name, address, latitude, longitude, started_at, ended_at,
                    created_at, position)
                CROSS JOIN LATERAL (
                    SELECT id FROM users WHERE token_digest = new.token_digest LIMIT 1
                ) AS owner
                ORDER BY new.position
            ) AS ordered
        ), stored AS (
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at, created_at,
                updated_at)
            SELECT id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, created_at
            FROM made
        )
        SELECT id, position FROM made
        """

    /// Returns no row if the event was changed or deleted after it was read.
    static let update: StaticString = """
        UPDATE events
        SET name = $9, address = $10, latitude = $11, longitude = $12, started_at = $13,
            ended_at = $14, updated_at = $15
        WHERE id = $1 AND owner_id = $2 AND name = $3 AND address IS NOT DISTINCT FROM $4
            AND latitude = $5 AND longitude = $6 AND started_at = $7
            AND ended_at IS NOT DISTINCT FROM $8
        RETURNING id
        """

    /// No row means that the owner has no such event.
    static let delete: StaticString = """
        DELETE FROM events WHERE id = $1 AND owner_id = $2 RETURNING id
        """

    /// Returns no row if the event was changed or deleted after it was read.
    static let deleteUnchanged: StaticString = """
        DELETE FROM events
        WHERE id = $1 AND owner_id = $2 AND name = $3 AND address IS NOT DISTINCT FROM $4
            AND latitude = $5 AND longitude = $6 AND started_at = $7
            AND ended_at IS NOT DISTINCT FROM $8
        RETURNING id
        """

    static let all = [
        find, findAll, findDated, findAllDated, create, createTogether, update, delete,
        deleteUnchanged,
    ]
}
