package import SQLite
package import Time

/// What a look at the records from outside asks for.
package enum LatestRecord {
    /// When the latest record of any kind was made; nil if there is none.
    ///
    /// Throws `SQLiteError`, also where a table is not there yet. O(log n).
    package static func time(on connection: Connection) throws -> Timestamp? {
        try connection.all(newest) { row in Timestamp(milliseconds: row.int64(0)) }.max()
    }

    /// Ids ascend with the time of making, so that no table is read as a whole.
    private static let newest: StaticString = """
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
