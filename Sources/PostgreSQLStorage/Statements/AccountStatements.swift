import Model
import PostgreSQL
import Rules
import System

/// The statements about accounts and their sessions.
///
/// An account is found by its address or else, because older versions did not normalize addresses,
/// by a second text. The index is on `lower(email)`, which is unique.
enum AccountStatements {
    static let idOfToken: SQL = "SELECT account_id FROM sessions WHERE token_digest = $1"

    static let find = SQL(
        selectingFrom: .accounts,
        "WHERE lower(email) IN ($1, $2) ORDER BY lower(email) = $1 DESC LIMIT 1"
    )

    static let findByToken = SQL(
        selectingFrom: .accounts,
        "WHERE id = (SELECT account_id FROM sessions WHERE token_digest = $1)"
    )

    /// No row means that the address is taken.
    static let create: SQL = """
        WITH made AS (
            INSERT INTO accounts (email, name, password_hash, created_at, updated_at)
            SELECT $3, $4, $5, $6, $6
            WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE lower(email) IN ($1, $2))
            RETURNING id
        )
        INSERT INTO sessions (account_id, token_digest, created_at)
        SELECT made.id, $7, $6 FROM made
        RETURNING account_id
        """

    /// Locks the account; no row means that the password has changed.
    static let renewHash: SQL = """
        UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id
        """

    /// Ends the sessions of an account with this hash.
    static let endSessionsIfHash: SQL = """
        DELETE FROM sessions
        WHERE account_id = $1
            AND EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND password_hash = $2)
        """

    /// Creates a session of an account with this hash.
    static let beginSessionIfHash: SQL = """
        INSERT INTO sessions (account_id, token_digest, created_at)
        SELECT accounts.id, $3, $4 FROM accounts WHERE id = $1 AND password_hash = $2
        """

    /// No row means that no session has the token.
    static let signOut: SQL = "DELETE FROM sessions WHERE token_digest = $1 RETURNING id"

    static let list: SQL = """
        SELECT id, email, name,
            (SELECT count(*) FROM todo_tasks WHERE account_id = accounts.id),
            EXISTS (SELECT 1 FROM sessions WHERE account_id = accounts.id)
        FROM accounts ORDER BY id
        """

    static let all = [
        idOfToken, find, findByToken, create, renewHash, endSessionsIfHash, beginSessionIfHash,
        signOut, list,
    ]
}
