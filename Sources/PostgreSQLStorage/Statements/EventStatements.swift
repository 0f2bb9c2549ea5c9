import Events
import Model
import PostgreSQL
import Rules
import SharedStorage
import System

/// The statements about events.
///
/// Rows of events are all columns of the table.
enum EventStatements {
    static let find = SQL(selectingFrom: .events, "WHERE id = $1")
    /// Finds an event if the user $2 can see it, or anybody if that is NULL.
    ///
    /// The last column is the name of the owner.
    static let findVisible = SQL(
        made: """
            SELECT \(Table.events.list), (SELECT name FROM users WHERE users.id = owner_id)
            FROM events WHERE id = $1 AND \(isVisible)
            """
    )
    private static let isVisible = AttendanceStatements.eventIsVisible
    /// Finds those of several events that `findVisible` would find.
    static let findAllVisible = SQL(
        selectingFrom: .events,
        "WHERE id = ANY ($1) AND \(isVisible)"
    )
    static let findAll = SQL(selectingFrom: .events, "WHERE id = ANY ($1)")

    /// The columns that a new event gets besides its id and its owner.
    static let created = EventColumn.changed + [.createdAt]
    private static let createdList = created.columns.list

    /// Returns the id of the user with a token, and the condition that the user can publish.
    private static func ofToken(_ digest: String) -> String {
        """
        (SELECT user_id FROM valid_tokens WHERE digest = \(digest))
        AND banned_at IS NULL AND deleted_at IS NULL
        """
    }

    /// No row means that no user has the token, or that the user is banned.
    ///
    /// The lock of the user lets a ban or a deletion find all events.
    static let create = SQL(
        made: """
            WITH owner AS (
                SELECT id FROM users WHERE id = \(ofToken("$1")) FOR KEY SHARE
            )
            INSERT INTO events (owner_id, \(createdList))
            SELECT owner.id, \(created.columns.parameters("$", from: 2)) FROM owner
            RETURNING id, owner_id
            """
    )

    /// Creates an event that the list of blocked words hides, with the note $n of its report.
    static let createReported = SQL(
        made: """
            WITH owner AS (
                SELECT id FROM users WHERE id = \(ofToken("$1")) FOR KEY SHARE
            ), made AS (
                INSERT INTO events (owner_id, \(createdList))
                SELECT owner.id, \(created.columns.parameters("$", from: 2)) FROM owner
                RETURNING id, owner_id, created_at
            )
            INSERT INTO reports (kind, record_id, reporter_id, reason, note, created_at)
            SELECT 1, made.id, 0, 'words', $\(created.count + 2), made.created_at FROM made
            RETURNING record_id, (SELECT owner_id FROM made)
            """
    )

    /// Creates several events, with ids in the order of their positions.
    ///
    /// Without the LIMIT, the planner may read all users.
    static let createTogether = SQL(
        made: """
            WITH made AS (
                SELECT nextval('events_id_seq') AS id, ordered.* FROM (
                    SELECT owner.id AS owner_id, new.*
                    FROM unnest(
                        $1, \(created.columns.parameters("$", from: 2)), $\(created.count + 2)
                    ) AS new (token_digest, \(createdList), position)
                    CROSS JOIN LATERAL (
                        SELECT id FROM users
                        WHERE id = \(ofToken("new.token_digest")) LIMIT 1 FOR KEY SHARE
                    ) AS owner
                    ORDER BY new.position
                ) AS ordered
            ), stored AS (
                INSERT INTO events (id, owner_id, \(createdList))
                SELECT id, owner_id, \(createdList) FROM made
            )
            SELECT id, owner_id, position FROM made
            """
    )

    /// The columns that `update` compares, which are the first of its values.
    static let compared = [.id, .ownerID, .hidden] + EventColumn.attributes

    /// Returns no row if the event was changed or deleted after it was read, or the owner banned.
    static let update = SQL(
        made: """
            UPDATE events
            SET \(EventColumn.changed.columns.assignments("$", from: compared.count + 1))
            WHERE \(compared.columns.conditions("$", from: 1)) AND EXISTS (
                SELECT 1 FROM users
                WHERE users.id = owner_id AND banned_at IS NULL FOR KEY SHARE
            )
            RETURNING id
            """
    )

    /// Lets no other transaction add attendances.
    static let lock: SQL = "SELECT id FROM events WHERE id = $1 FOR UPDATE"

    /// No row means that the owner has no such event.
    static let delete: SQL = "DELETE FROM events WHERE id = $1 AND owner_id = $2 RETURNING id"

    /// Returns no row if the event was changed or deleted after it was read.
    static let deleteUnchanged = SQL(
        made: "DELETE FROM events WHERE \(compared.columns.conditions("$", from: 1)) RETURNING id"
    )

    /// Returns the ids and users of an event's attendances.
    static let guests: SQL = "SELECT id, user_id FROM attendances WHERE event_id = $1"

    /// The events that a user attends, up to a limit.
    static let attended: SQL = """
        SELECT event_id FROM attendances WHERE user_id = $1 ORDER BY event_id LIMIT $2
        """

    static let all = [
        find, findVisible, findAllVisible, findAll, create, createReported, createTogether, update,
        lock, delete,
        deleteUnchanged, guests, attended,
    ]
}
