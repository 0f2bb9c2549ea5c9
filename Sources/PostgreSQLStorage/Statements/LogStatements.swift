import Model
import PostgreSQL
import Rules
import System

/// The statements about the log of changes.
enum LogStatements {
    /// Returns the number of the latest change, the last deleted number, and the identity.
    static let position: SQL = position(identity: "epoch")

    /// Returns `position` with this identity.
    static func position(identity: String) -> SQL {
        SQL(
            made: """
                SELECT coalesce((SELECT max(seq) FROM changes), 0), floor, \(identity)
                FROM feed WHERE id = 1
                """
        )
    }

    /// Gives the log the identity $1 if it has none.
    ///
    /// It fails while a dump is being restored: the table has its row before its primary key.
    static let identify: StaticString =
        "INSERT INTO feed (id, epoch) VALUES (1, $1) ON CONFLICT (id) DO NOTHING"

    /// Returns the changes of events after the number $1, up to the limit $2.
    ///
    /// The columns are those of the event, the number and the id of the changed record, the columns
    /// of `position`, and, for a block or a user, the columns of `users`. If there are no changes,
    /// there is one row without an event. If all events may have changed, the id is NULL. Without
    /// the LIMIT 1, planners may read all events.
    static let events: SQL = events(identity: "epoch")

    /// Returns `events` with this identity.
    static func events(identity: String) -> SQL {
        SQL(
            made: """
                SELECT \(Table.events.list(of: "e")), e.seq, e.record_id,
                    coalesce((SELECT max(seq) FROM changes), 0), floor, \(identity),
                    CASE WHEN e.kind <> 1 THEN e.user_id END, known.name, known.blocked,
                    known.tokens
                FROM feed LEFT JOIN LATERAL (
                    SELECT noted.seq, noted.record_id, noted.kind, noted.user_id, event.*
                    FROM (
                        SELECT seq, record_id, kind, user_id FROM changes
                        WHERE seq > $1 AND kind IN (1, 4, 5, 9) ORDER BY seq LIMIT $2
                    ) AS noted
                    LEFT JOIN LATERAL (
                        SELECT \(Table.events.list) FROM events
                        WHERE noted.kind = 1 AND events.id = noted.record_id LIMIT 1
                    ) AS event ON TRUE
                ) AS e ON TRUE
                LEFT JOIN LATERAL (
                    SELECT \(knownUser) FROM users
                    WHERE e.kind IN (4, 5) AND users.id = e.user_id LIMIT 1
                ) AS known ON TRUE
                WHERE feed.id = 1
                """
        )
    }

    /// Returns the events from the id $1 on, up to the limit $2, in the order of their ids.
    static let allEvents = SQL(selectingFrom: .events, "WHERE id >= $1 ORDER BY id LIMIT $2")

    /// Returns the ids, the names, the blocked owners and the digests of the tokens of all users
    /// who have a name or block others.
    static let users = SQL(
        made: """
            SELECT \(knownUser) FROM users
            WHERE name IS NOT NULL OR id IN (SELECT user_id FROM blocks)
            """
    )

    private static let knownUser = """
        id, name,
        (SELECT string_agg(blocked_id::TEXT, ',') FROM blocks WHERE user_id = users.id) AS blocked,
        (SELECT string_agg(encode(digest, 'hex'), ',') FROM user_tokens
            WHERE user_id = users.id AND EXISTS (SELECT 1 FROM blocks WHERE user_id = users.id)
        ) AS tokens
        """

    /// Returns the greatest id of an event.
    static let lastEvent: StaticString = "SELECT max(id) FROM events"

    /// Deletes the oldest changes that need not be retained, and returns their number.
    ///
    /// It looks at the first $1 changes. Those before the last $2 numbers are deleted, and those
    /// before the last $3 numbers if they are older than $4.
    static let prune: StaticString = """
        WITH bound AS (
            SELECT max(seq) AS seq
            FROM (SELECT seq, changed_at FROM changes ORDER BY seq LIMIT $1) AS oldest
            WHERE seq <= (SELECT max(seq) FROM changes) - $2
                OR (seq <= (SELECT max(seq) FROM changes) - $3 AND changed_at < $4)
        ), moved AS (
            UPDATE feed SET floor = (SELECT seq FROM bound)
            WHERE id = 1 AND floor < (SELECT seq FROM bound) RETURNING floor
        ), deleted AS (
            DELETE FROM changes WHERE seq <= (SELECT max(floor) FROM moved) RETURNING seq
        )
        SELECT count(*) FROM deleted
        """

    /// Logs $1 changes that the server has made at the time $2, on engines without the triggers.
    ///
    /// The others are arrays with a value of each change; the positions count from 1.
    /// The lock of the row of `feed` is held until the transaction ends, so the numbers become
    /// visible in ascending order.
    static let add: StaticString = """
        WITH taken AS (
            UPDATE feed SET taken = taken + $1 WHERE id = 1 RETURNING taken
        )
        INSERT INTO changes
            (seq, kind, record_id, user_id, event_id, was_public, latitude, longitude, changed_at)
        SELECT taken.taken - $1 + new.position, new.kind, new.record_id, new.user_id, new.event_id,
            new.was_public = 1, new.latitude, new.longitude, $2
        FROM taken CROSS JOIN unnest($3, $4, $5, $6, $7, $8, $9, $10) AS new
            (position, record_id, user_id, kind, event_id, was_public, latitude, longitude)
        """

    /// Makes the numbers that servers take ascend from those of the log.
    static let continueNumbers: StaticString = """
        UPDATE feed SET taken = (SELECT max(seq) FROM changes)
        WHERE id = 1 AND taken < (SELECT max(seq) FROM changes)
        """

    static let all = [
        position, identify, events, allEvents, users, lastEvent, prune, add, continueNumbers,
    ]
}
