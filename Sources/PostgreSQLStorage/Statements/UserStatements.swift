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

    static let all = [find, summary, create, findOrCreate, revokeToken]
}
