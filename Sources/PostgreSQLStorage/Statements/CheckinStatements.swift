/// The statements about check-ins.
enum CheckinStatements {
    static let add: StaticString = """
        INSERT INTO checkins
            (name, category, rating, latitude, longitude, user_name, local_time, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """

    static let newest: StaticString = """
        SELECT id, name, category, rating, latitude, longitude, user_name, local_time
        FROM (SELECT * FROM checkins ORDER BY id DESC LIMIT $1) AS newest ORDER BY id
        """

    /// Jumps from each category to the next one in the index.
    static let categories: StaticString = """
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
