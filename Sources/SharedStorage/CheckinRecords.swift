import Model
import Rules
package import System

/// The check-ins, the same for all engines.
struct CheckinRecords: CheckinStore {
    let database: any SharedDatabase

    func add(_ checkin: Checkin) async throws -> Int64 {
        let values = CheckinRecord(id: nil, checkin: checkin).values()
        return try await database.create(CheckinStatements.creation, values)
    }

    func newest(limit: Int) async throws -> [CheckinRecord] {
        try await database.records(CheckinStatements.newest, SharedValue.limit(limit)).reversed()
    }

    /// Jumps from each category to the next one in the index: O(m log n) for m categories of n
    /// check-ins.
    func categories(limit: Int) async throws -> [String] {
        try await database.rows(CheckinStatements.categories, [SharedValue.limit(limit)], [.text])
            .map { $0.text(0) }
    }
}

extension SharedValue {
    /// Returns a maximum number of rows, of which PostgreSQL accepts no negative one.
    static func limit(_ limit: Int) -> SharedValue { .integer(Int64(max(0, limit))) }
}

/// The statements about check-ins, which both engines understand.
package enum CheckinStatements {
    static let creation = RecordCreation(in: .checkins)
    static let newest = RecordQuery<CheckinRecord>(.checkins, "ORDER BY id DESC LIMIT $1")
    static let categories: SharedSQL = """
        WITH RECURSIVE used (category) AS (
            SELECT min(category) FROM checkins
            UNION ALL
            SELECT (SELECT min(category) FROM checkins WHERE category > used.category)
            FROM used WHERE used.category IS NOT NULL
        )
        SELECT category FROM used WHERE category IS NOT NULL LIMIT $1
        """

    package static let all: [SQL] = [creation.sql, newest.sql, categories].map(\.postgresql)
}
