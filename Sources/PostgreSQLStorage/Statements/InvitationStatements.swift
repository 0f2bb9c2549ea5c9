import Model
import PostgreSQL
import Rules
import System

/// The statements about the codes of events.
enum InvitationStatements {
    /// No row means that the user $4 has no such event, or that it has as many codes as $5.
    static let add: SQL = """
        INSERT INTO invitations (event_id, code_digest, created_at)
        SELECT events.id, $2, $3 FROM events
        WHERE events.id = $1 AND events.owner_id = $4
            AND (SELECT count(*) FROM invitations WHERE event_id = $1) < $5
        RETURNING id
        """

    /// Closes the codes of an event of the user $2.
    static let close: SQL = """
        DELETE FROM invitations WHERE event_id IN (
            SELECT events.id FROM events WHERE events.id = $1 AND owner_id = $2
        )
        """

    static let event: SQL = "SELECT event_id FROM invitations WHERE code_digest = $1"

    static let all = [add, close, event]
}
