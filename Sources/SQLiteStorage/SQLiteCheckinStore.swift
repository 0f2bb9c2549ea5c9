import Model
import Rules
import SQLite
import System

/// A store of check-ins in SQLite.
struct SQLiteCheckinStore: CheckinStore {
    let database: SQLiteDatabase

    func add(_ checkin: Checkin) async throws -> Int64 {
        try await database.write { connection in
            try CheckinRecord(id: nil, checkin: checkin).insert(on: connection)
        }
    }

    func newest(limit: Int) async throws -> [CheckinRecord] {
        try database.read { connection in
            try connection.all(Self.newest, .integer(Int64(max(0, limit)))) { row in
                CheckinRecord(row)
            }
        }.reversed()
    }

    private static let newest = SQL(selectingFrom: .checkins, "ORDER BY id DESC LIMIT ?")

    /// Jumps from each category to the next one in the index: O(m log n) for m categories of n
    /// check-ins.
    func categories(limit: Int) async throws -> [String] {
        try database.read { connection in
            try connection.all(
                """
                WITH RECURSIVE used (category) AS (
                    SELECT min(category) FROM checkins
                    UNION ALL
                    SELECT (SELECT min(category) FROM checkins WHERE category > used.category)
                    FROM used WHERE used.category IS NOT NULL
                )
                SELECT category FROM used WHERE category IS NOT NULL LIMIT ?
                """,
                .integer(Int64(max(0, limit)))
            ) { row in row.text(0) }
        }
    }
}
