import Model
import SQLite

/// The spans of the stored events, see `EventSpan`.
enum EventSpans {
    /// Selects the spans that events have, in ascending order; one seek for each.
    static let used: StaticString = """
        WITH RECURSIVE used (span) AS (
            SELECT min(span) FROM events
            UNION ALL
            SELECT (SELECT min(span) FROM events WHERE span > used.span)
            FROM used WHERE used.span IS NOT NULL
        )
        SELECT span FROM used WHERE span IS NOT NULL
        """
}

extension Connection {
    /// Returns the spans that events have, in ascending order; at most 22.
    func usedSpans() throws -> [Int64] {
        try all(EventSpans.used) { row in row.int64(0) }
    }
}
