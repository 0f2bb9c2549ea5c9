import PostgreSQL
import System

/// The statements about users.
enum UserStatements {
    static let find: SQL = """
        SELECT id, banned_at, name FROM users
        WHERE id = (SELECT user_id FROM valid_tokens WHERE digest = $1)
        """

    /// No row means that the user is not banned.
    static let isBanned: SQL = "SELECT 1 FROM users WHERE id = $1 AND banned_at IS NOT NULL"

    static let summary: SQL = """
        SELECT id, (SELECT count(*) FROM events WHERE owner_id = users.id),
            (SELECT count(*) FROM attendances WHERE user_id = users.id), banned_at, name,
            (SELECT string_agg(issuer, ' ' ORDER BY id) FROM identities WHERE user_id = users.id)
        FROM users WHERE id = (SELECT user_id FROM valid_tokens WHERE digest = $1)
        """

    /// Lets a token that has ended be used again.
    static let deleteEnded: SQL = """
        DELETE FROM user_tokens WHERE digest = $1
            AND NOT EXISTS (SELECT 1 FROM valid_tokens WHERE digest = $1)
        """

    /// No row means that the token is taken.
    static let create: SQL = """
        WITH made AS (
            INSERT INTO users (created_at)
            SELECT $2 WHERE NOT EXISTS (SELECT 1 FROM user_tokens WHERE digest = $1)
            RETURNING id, created_at
        )
        INSERT INTO user_tokens (user_id, digest, created_at, last_seen_on, scope_id)
        SELECT id, $1, created_at, created_at / 86400000, id FROM made RETURNING user_id
        """

    static let findOrCreate: SQL = """
        WITH known AS (SELECT user_id FROM user_tokens WHERE digest = $1),
            made AS (
                INSERT INTO users (created_at)
                SELECT $2 WHERE NOT EXISTS (SELECT 1 FROM known)
                RETURNING id, created_at
            ), token AS (
                INSERT INTO user_tokens (user_id, digest, created_at, last_seen_on, scope_id)
                SELECT id, $1, created_at, created_at / 86400000, id FROM made RETURNING user_id
            )
        SELECT user_id FROM known UNION ALL SELECT user_id FROM token
        """

    /// Deletes the attendances of some events of the user $1.
    static let deleteEventAttendances: SQL = """
        DELETE FROM attendances WHERE event_id = ANY ($2)
            AND EXISTS (SELECT 1 FROM events WHERE id = event_id AND owner_id = $1)
        RETURNING id, user_id, event_id
        """

    /// Gives some events of the user $1 to the user $3.
    static let moveEvents: SQL = """
        UPDATE events SET owner_id = $3 WHERE owner_id = $1 AND id = ANY ($2) RETURNING id
        """

    /// Deletes some events of the user $1.
    ///
    /// They are listed, because there is no index of owners in the schema.
    static let deleteEvents: SQL = """
        DELETE FROM events WHERE owner_id = $1 AND id = ANY ($2)
        """

    /// Returns the places of events, whether each is public unless it is hidden, and why that is.
    static let places: SQL = """
        SELECT id, latitude, longitude, visibility IS NULL, hidden FROM events WHERE id = ANY ($1)
        """

    static let all = [
        find, isBanned, summary, deleteEnded, create, findOrCreate, deleteEventAttendances,
        moveEvents, deleteEvents, places,
    ]
}
