import Model
import PostgreSQL
import Rules
import System

/// The statements about check-ins.
enum CheckinStatements {
    static let add = SQL(creatingIn: .checkins)

    static let newest = SQL(selectingFrom: .checkins, "ORDER BY id DESC LIMIT $1")

    /// Jumps from each category to the next one in the index.
    static let categories: SQL = """
        WITH RECURSIVE used (category) AS (
            SELECT min(category) FROM checkins
            UNION ALL
            SELECT (SELECT min(category) FROM checkins WHERE category > used.category)
            FROM used WHERE used.category IS NOT NULL
        )
        SELECT category FROM used WHERE category IS NOT NULL LIMIT $1
        """

    static let all = [add, newest, categories]
}
