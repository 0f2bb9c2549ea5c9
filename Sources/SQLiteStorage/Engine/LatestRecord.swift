package import SQLite
import System
package import Time

/// A query for the age of the newest data in a database.
package enum LatestRecord {
    /// Returns the creation time of the latest record of any kind, or nil if there are no records.
    ///
    /// Throws `SQLiteError`, also if a table doesn't exist yet. O(log n).
    package static func time(on connection: Connection) throws -> Timestamp? {
        try connection.all(newest) { row in Timestamp(milliseconds: row.int64(0)) }.max()
    }

    /// Ids ascend with the creation time, so no table has to be scanned.
    private static let newest: SQL = """
        SELECT created_at FROM users WHERE id = (SELECT max(id) FROM users)
        UNION ALL
        SELECT created_at FROM events WHERE id = (SELECT max(id) FROM events)
        UNION ALL
        SELECT created_at FROM attendances WHERE id = (SELECT max(id) FROM attendances)
        UNION ALL
        SELECT created_at FROM shared_tasks WHERE id = (SELECT max(id) FROM shared_tasks)
        UNION ALL
        SELECT created_at FROM checkins WHERE id = (SELECT max(id) FROM checkins)
        UNION ALL
        SELECT created_at FROM accounts WHERE id = (SELECT max(id) FROM accounts)
        UNION ALL
        SELECT created_at FROM todo_tasks WHERE id = (SELECT max(id) FROM todo_tasks)
        """
}
