import Rules
import Model
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
    private static let newest = SQL(
        made: Table.dated.map { table in
            """
            SELECT created_at FROM \(table.name) WHERE id = (SELECT max(id) FROM \(table.name))
            """
        }.joined(separator: " UNION ALL ")
    )
}
