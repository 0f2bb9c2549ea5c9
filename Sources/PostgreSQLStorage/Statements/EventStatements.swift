import Events
import Model
import PostgreSQL
import Rules
import System

/// The statements about events.
///
/// Rows of events are all columns of the table.
enum EventStatements {
    static let find = SQL(selectingFrom: .events, "WHERE id = $1")
    /// Finds an event if the user $2 can see it, or anybody if that is NULL.
    static let findVisible = SQL(selectingFrom: .events, "WHERE id = $1 AND \(isVisible)")
    /// The condition that the user $2, or anybody if that is NULL, can see a row of `events`.
    static let isVisible = """
        (events.visibility IS NULL OR events.owner_id = $2 OR EXISTS (
            SELECT 1 FROM attendances
            WHERE attendances.event_id = events.id AND attendances.user_id = $2
        ))
        """
    /// Finds those of several events that `findVisible` would find.
    static let findAllVisible = SQL(
        selectingFrom: .events,
        "WHERE id = ANY ($1) AND \(isVisible)"
    )
    static let findAll = SQL(selectingFrom: .events, "WHERE id = ANY ($1)")

    /// The columns that a new event gets besides its id and its owner.
    static let created = EventColumn.changed + [.createdAt]
    private static let createdList = created.columns.list

    /// No row means that no user has the token.
    static let create = SQL(
        made: """
            WITH owner AS (SELECT id FROM users WHERE token_digest = $1)
            INSERT INTO events (owner_id, \(createdList))
            SELECT owner.id, \(created.columns.parameters("$", from: 2)) FROM owner
            RETURNING id
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
                        SELECT id FROM users WHERE token_digest = new.token_digest LIMIT 1
                    ) AS owner
                    ORDER BY new.position
                ) AS ordered
            ), stored AS (
                INSERT INTO events (id, owner_id, \(createdList))
                SELECT id, owner_id, \(createdList) FROM made
            )
            SELECT id, position FROM made
            """
    )

    /// The columns that `update` compares, which are the first of its values.
    static let compared = [.id, .ownerID] + EventColumn.attributes

    /// Returns no row if the event was changed or deleted after it was read.
    static let update = SQL(
        made: """
            UPDATE events
            SET \(EventColumn.changed.columns.assignments("$", from: compared.count + 1))
            WHERE \(compared.columns.conditions("$", from: 1))
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

    static let all = [
        find, findVisible, findAllVisible, findAll, create, createTogether, update, lock, delete,
        deleteUnchanged,
    ]
}
