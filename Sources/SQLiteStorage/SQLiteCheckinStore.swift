package import Model
import SQLite
import Time

/// A store of check-ins in SQLite.
package struct SQLiteCheckinStore: CheckinStore {
    let database: SQLiteDatabase

    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package func add(_ checkin: Checkin) async throws {
        try await database.write { connection in
            try connection.insert(checkin, id: nil)
        }
    }

    package func newest(limit: Int) async throws -> [StoredCheckin] {
        try database.read { connection in
            try connection.all(
                """
                SELECT id, name, category, rating, latitude, longitude, user_name, local_time
                FROM (SELECT * FROM checkins ORDER BY id DESC LIMIT ?) ORDER BY id
                """,
                .integer(Int64(max(0, limit)))
            ) { row in StoredCheckin(row) }
        }
    }

    /// Jumps from each category to the next one in the index: O(m log n) for m categories of n
    /// check-ins.
    package func categories(limit: Int) async throws -> [String] {
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

extension Connection {
    /// Stores a check-in under this id, or the next one if nil.
    func insert(_ checkin: Checkin, id: Int64?) throws {
        try run(
            """
            INSERT INTO checkins
                (id, name, category, rating, latitude, longitude, user_name, local_time, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(orNull: id),
            .text(orNull: checkin.name),
            .text(orNull: checkin.category),
            .real(orNull: checkin.rating),
            .real(orNull: checkin.latitude),
            .real(orNull: checkin.longitude),
            .text(orNull: checkin.userName),
            .integer(checkin.localTime.milliseconds),
            .integer(Timestamp.now().milliseconds)
        )
    }
}

extension StoredCheckin {
    /// Reads a row of: id, name, category, rating, latitude, longitude, user_name, local_time.
    init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0),
            checkin: Checkin(
                name: row.optionalText(1),
                category: row.optionalText(2),
                rating: row.optionalDouble(3),
                latitude: row.optionalDouble(4),
                longitude: row.optionalDouble(5),
                userName: row.optionalText(6),
                localTime: Timestamp(milliseconds: row.int64(7))
            )
        )
    }
}
