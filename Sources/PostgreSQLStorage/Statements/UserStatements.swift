import PostgreSQL
import System

/// The statements about users.
enum UserStatements {
    static let find: SQL = "SELECT id FROM users WHERE token_digest = $1"

    static let summary: SQL = """
        SELECT id, (SELECT count(*) FROM events WHERE owner_id = users.id),
            (SELECT count(*) FROM attendances WHERE user_id = users.id)
        FROM users WHERE token_digest = $1
        """

    /// No row means that the token is taken.
    static let create: SQL = """
        INSERT INTO users (token_digest, created_at)
        SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM users WHERE token_digest = $1)
        RETURNING id
        """

    static let findOrCreate: SQL = """
        WITH known AS (SELECT id FROM users WHERE token_digest = $1),
            made AS (
                INSERT INTO users (token_digest, created_at)
                SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM known)
                RETURNING id
            )
        SELECT id FROM known UNION ALL SELECT id FROM made
        """

    /// No row means that the user doesn't exist.
    static let revokeToken: SQL = """
        UPDATE users SET token_digest = NULL WHERE id = $1 RETURNING id
        """

    /// No row means that the user does not have the token any more.
    static let forget: SQL = """
        UPDATE users SET token_digest = NULL WHERE id = $1 AND token_digest = $2 RETURNING id
        """

    /// Deletes a user's attendances, and those of the user's events.
    static let deleteAttendances: SQL = """
        DELETE FROM attendances WHERE user_id = $1 OR event_id = ANY ($2) RETURNING id, user_id
        """

    /// Deletes an owner's events: those of a list, and those that have changed since a position.
    ///
    /// There is no index of owners in the schema.
    static let deleteEvents: SQL = """
        DELETE FROM events WHERE owner_id = $1 AND id = ANY (ARRAY(
            SELECT unnest($2) UNION ALL SELECT record_id FROM changes WHERE seq > $3 AND kind = 1
        ))
        RETURNING id, owner_id
        """

    static let all = [
        find, summary, create, findOrCreate, revokeToken, forget, deleteAttendances, deleteEvents,
    ]
}
