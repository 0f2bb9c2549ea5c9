package import System

/// The statements about changes, which both engines understand.
extension SharedSQL {
    /// Returns the rows of the log after the number $1, at most $2.
    static let changes: SharedSQL = """
        SELECT seq, kind, record_id, user_id, event_id, CASE WHEN was_public THEN 1 ELSE 0 END,
            latitude, longitude, changed_at, (SELECT floor FROM feed WHERE id = 1)
        FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2
        """
    /// Returns the number of the first change, and that of all changes.
    static let logRows: SharedSQL = "SELECT min(seq), count(*) FROM changes"
    /// Returns the size of the log in bytes.
    static let logBytes = SharedSQL(
        postgresql: "SELECT pg_total_relation_size('changes')",
        sqlite: "SELECT pgsize FROM dbstat WHERE name = 'changes' AND aggregate = TRUE"
    )
    /// Gives the log the identity $1.
    package static let renewLog: SharedSQL = """
        INSERT INTO feed (id, epoch) VALUES (1, $1)
        ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch
        """
    static let attendances: SharedSQL = """
        SELECT id, user_id, event_id FROM attendances WHERE id = ANY($1)
        """
    static let attendancesOfUser: SharedSQL = """
        SELECT id, user_id, event_id FROM attendances WHERE user_id = $1 AND id > $2
        ORDER BY id LIMIT $3
        """
    static let attendancesOfUserAtEvents: SharedSQL = """
        SELECT id, user_id, event_id FROM attendances WHERE event_id = ANY($1) AND user_id = $2
        """
    /// Returns at most $2 users and events of the attendances of the events $1.
    static let attendees: SharedSQL = """
        SELECT user_id, event_id FROM attendances WHERE event_id = ANY($1) LIMIT $2
        """
    /// Returns the attendances of the events $1 by others than $2, after the one of the event $3
    /// and the user $4.
    static let attendancesOfOthers: SharedSQL = """
        SELECT id, user_id, event_id FROM attendances
        WHERE event_id = ANY($1) AND user_id <> $2
            AND (event_id > $3 OR (event_id = $3 AND user_id > $4))
        ORDER BY event_id, user_id LIMIT $5
        """
}

/// The statements of changes as PostgreSQL takes them, which tests check.
package enum ChangeStatements {
    package static let all = [
        SharedSQL.changes, .logRows, .logBytes, .renewLog, .attendances, .attendancesOfUser,
        .attendancesOfUserAtEvents, .attendees,
        .attendancesOfOthers,
    ].map(\.postgresql)
}
