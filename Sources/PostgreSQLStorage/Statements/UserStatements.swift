import PostgreSQL
import System

/// The statements about users.
enum UserStatements {
    static let find: SQL = "SELECT id, banned_at FROM users WHERE token_digest = $1"

    /// No row means that the user is not banned.
    static let isBanned: SQL = "SELECT 1 FROM users WHERE id = $1 AND banned_at IS NOT NULL"

    static let summary: SQL = """
        SELECT id, (SELECT count(*) FROM events WHERE owner_id = users.id),
            (SELECT count(*) FROM attendances WHERE user_id = users.id), banned_at
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

    /// Lets the log tell that a token no longer belongs to the user's blocks.
    static let touchBlocks: SQL = """
        UPDATE blocks SET created_at = created_at WHERE user_id = $1 RETURNING blocked_id, user_id
        """

    /// Deletes the attendances of some events of the user $1.
    static let deleteEventAttendances: SQL = """
        DELETE FROM attendances WHERE event_id = ANY ($2)
            AND EXISTS (SELECT 1 FROM events WHERE id = event_id AND owner_id = $1)
        RETURNING id, user_id, event_id
        """

    /// Deletes some events of the user $1.
    ///
    /// They are listed, because there is no index of owners in the schema.
    static let deleteEvents: SQL = """
        DELETE FROM events WHERE owner_id = $1 AND id = ANY ($2) RETURNING id
        """

    static let all = [
        find, isBanned, summary, create, findOrCreate, revokeToken, touchBlocks,
        deleteEventAttendances, deleteEvents,
    ]
}
