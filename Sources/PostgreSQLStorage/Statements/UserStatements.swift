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

    /// Locks a user; no row means that the user does not have the token any more.
    static let lock: SQL = "SELECT id FROM users WHERE id = $1 AND token_digest = $2 FOR UPDATE"

    /// The condition that the user $1 has the token $2.
    private static let hasToken =
        "EXISTS (SELECT 1 FROM users WHERE id = $1 AND token_digest = $2)"

    /// Deletes the attendances of a user who has a token.
    static let deleteAttendances = SQL(
        made: "DELETE FROM attendances WHERE user_id = $1 AND \(hasToken) RETURNING id, user_id"
    )

    /// Deletes the attendances of some events of a user who has a token.
    static let deleteEventAttendances = SQL(
        made: """
            DELETE FROM attendances WHERE event_id = ANY ($3) AND \(hasToken)
                AND EXISTS (SELECT 1 FROM events WHERE id = event_id AND owner_id = $1)
            RETURNING id, user_id
            """
    )

    /// Deletes some events of a user who has a token.
    ///
    /// They are listed, because there is no index of owners in the schema.
    static let deleteEvents = SQL(
        made: """
            DELETE FROM events WHERE id = ANY ($3) AND owner_id = $1 AND \(hasToken)
            RETURNING id, owner_id
            """
    )

    /// Deletes some events of a user whose token is deleted.
    static let deleteLateEvents: SQL = """
        DELETE FROM events WHERE id = ANY ($2) AND owner_id = $1 RETURNING id, owner_id
        """

    /// No row means that the user does not have the token any more.
    static let forget: SQL = """
        UPDATE users SET token_digest = NULL WHERE id = $1 AND token_digest = $2 RETURNING id
        """

    static let all = [
        find, summary, create, findOrCreate, revokeToken, lock, deleteAttendances,
        deleteEventAttendances, deleteEvents, deleteLateEvents, forget,
    ]
}
