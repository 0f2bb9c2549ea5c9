/// The statements about the log of changes.
enum LogStatements {
    /// Returns the number of the latest change, the last deleted number, and the identity.
    static let position: StaticString = """
        SELECT coalesce((SELECT max(seq) FROM changes), 0), floor, epoch FROM feed WHERE id = 1
        """

    /// Returns the changes after the number $1, up to the limit $2.
    static let changes: StaticString = """
        SELECT seq, kind, record_id, user_id, event_id, was_public, latitude, longitude,
            changed_at
        FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2
        """

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

    static let all = [position, changes, prune]
}
