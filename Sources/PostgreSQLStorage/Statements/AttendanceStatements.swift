import Model
import PostgreSQL
import Rules
import System

/// The statements about attendances.
enum AttendanceStatements {
    /// The condition that the user $2 can attend the event $1.
    ///
    /// The event is not hidden, neither of the user and the owner blocks the other, and the user is
    /// neither banned nor deleted, which the lock keeps true.
    private static let isWelcome = """
        EXISTS (
            SELECT 1 FROM events WHERE events.id = $1 AND (hidden = 0 OR owner_id = $2)
                AND NOT EXISTS (
                    SELECT 1 FROM blocks
                    WHERE (blocks.user_id = $2 AND blocked_id = events.owner_id)
                        OR (blocks.user_id = events.owner_id AND blocked_id = $2)
                )
        ) AND (EXISTS (
            SELECT 1 FROM users
            WHERE users.id = $2 AND banned_at IS NULL AND deleted_at IS NULL FOR KEY SHARE
        ) OR NOT EXISTS (SELECT 1 FROM users WHERE users.id = $2))
        """

    /// No row means that the user can't see or attend such an event.
    ///
    /// It locks a known row, so that COMMIT waits until a standby has it, too. The transaction that
    /// stored it may have been given up before that.
    static let findOrCreate = SQL(
        made: """
            WITH known AS (
                    SELECT id FROM attendances
                    WHERE event_id = $1 AND user_id = $2 AND \(isWelcome) FOR KEY SHARE
                ),
                made AS (
                    INSERT INTO attendances (user_id, event_id, created_at)
                    SELECT $2, events.id, $3 FROM events
                    WHERE events.id = $1 AND NOT EXISTS (SELECT 1 FROM known)
                        AND (events.visibility IS NULL OR events.owner_id = $2) AND \(isWelcome)
                    RETURNING id
                )
            SELECT id FROM known UNION ALL SELECT id FROM made
            """
    )

    /// No row means that the event $1 has no code of the digest $4.
    static let join = SQL(
        made: """
            WITH known AS (
                    SELECT id FROM attendances
                    WHERE event_id = $1 AND user_id = $2 AND \(isWelcome) FOR KEY SHARE
                ),
                made AS (
                    INSERT INTO attendances (user_id, event_id, created_at)
                    SELECT $2, event_id, $3 FROM invitations
                    WHERE event_id = $1 AND code_digest = $4
                        AND NOT EXISTS (SELECT 1 FROM known) AND \(isWelcome)
                    RETURNING id
                )
            SELECT id FROM known UNION ALL SELECT id FROM made
            """
    )

    /// The condition for attendances that the user $2 may delete: their own, and those of guests of
    /// their private events.
    private static let isDeletable = """
        WHERE id = $1 AND (user_id = $2 OR $2 = (
            SELECT owner_id FROM events
            WHERE events.id = attendances.event_id AND visibility IS NOT NULL
        ))
        """
    static let findDeletable = SQL(selectingFrom: .attendances, isDeletable)

    /// No row means that the user may delete no such attendance.
    static let delete = SQL(
        made: "DELETE FROM attendances \(isDeletable) RETURNING id, user_id, 2::BIGINT, event_id"
    )

    /// Returns the ids and users of an event's attendances.
    static let users: SQL = "SELECT id, user_id FROM attendances WHERE event_id = $1"

    /// No row means that the user $2, or anybody if that is NULL, can't see such an event, and one
    /// of NULLs that it has no attendances.
    static let ofEvent = SQL(
        made: """
            SELECT \(Table.attendances.list(of: "attendances")),
                (SELECT name FROM users WHERE users.id = attendances.user_id)
            FROM events LEFT JOIN attendances ON attendances.event_id = events.id
                AND NOT EXISTS (
                    SELECT 1 FROM blocks
                    WHERE blocks.user_id = $2 AND blocked_id = attendances.user_id
                )
            WHERE events.id = $1 AND \(EventStatements.isVisible)
            ORDER BY attendances.id
            """
    )

    /// The events that a user attends, up to a limit.
    static let attended: StaticString = """
        SELECT event_id FROM attendances WHERE user_id = $1 ORDER BY event_id LIMIT $2
        """

    static let all = [findOrCreate, join, findDeletable, delete, users, ofEvent, attended]
}
