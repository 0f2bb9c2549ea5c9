import Model
import PostgreSQL
import Rules
import System

/// The statements about attendances.
enum AttendanceStatements {
    /// No row means that the event doesn't exist.
    ///
    /// It locks a known row, so that COMMIT waits until a standby has it, too. The transaction that
    /// stored it may have been given up before that.
    static let findOrCreate: SQL = """
        WITH known AS (
                SELECT id FROM attendances WHERE event_id = $1 AND user_id = $2 FOR KEY SHARE
            ),
            made AS (
                INSERT INTO attendances (user_id, event_id, created_at)
                SELECT $2, events.id, $3 FROM events
                WHERE events.id = $1 AND NOT EXISTS (SELECT 1 FROM known)
                RETURNING id
            )
        SELECT id FROM known UNION ALL SELECT id FROM made
        """

    static let findOwn = SQL(selectingFrom: .attendances, "WHERE id = $1 AND user_id = $2")

    /// No row means that the user has no such attendance.
    static let delete: SQL =
        "DELETE FROM attendances WHERE id = $1 AND user_id = $2 RETURNING id"

    /// Returns the ids and users of an event's attendances.
    static let users: SQL = "SELECT id, user_id FROM attendances WHERE event_id = $1"

    /// No row means that the event doesn't exist, and one of NULLs that it has no attendances.
    static let ofEvent = SQL(
        made: """
            SELECT \(Table.attendances.list(of: "attendances"))
            FROM events LEFT JOIN attendances ON attendances.event_id = events.id
            WHERE events.id = $1 ORDER BY attendances.id
            """
    )

    /// The events that a user attends, up to a limit.
    static let attended: StaticString = """
        SELECT event_id FROM attendances WHERE user_id = $1 ORDER BY event_id LIMIT $2
        """

    static let all = [findOrCreate, findOwn, delete, users, ofEvent, attended]
}
