package import System

/// The statements of what admins learn about events from other tables.
extension SharedSQL {
    static let openReportCounts: SharedSQL = """
        SELECT record_id, count(*) FROM reports
        WHERE record_id = ANY($1) AND kind = 1 AND resolved_at IS NULL GROUP BY record_id
        """
    static let reportedEvents: SharedSQL = """
        SELECT DISTINCT record_id FROM reports
        WHERE kind = 1 AND resolved_at IS NULL ORDER BY record_id DESC LIMIT $1
        """
    static let countedAttendances: SharedSQL = """
        SELECT count(*) FROM (
            SELECT 1 AS one FROM attendances WHERE event_id = $1 LIMIT $2
        ) AS counted
        """
}

/// The statements of what admins learn about events as PostgreSQL takes them, which tests check.
package enum EventFactStatements {
    package static let all = [
        SharedSQL.openReportCounts, .reportedEvents, .countedAttendances,
    ].map(\.postgresql)
}

extension ModerationRecords {
    func openReportCounts(ofEvents ids: [Int64]) async throws -> [Int64: Int64] {
        if ids.isEmpty { return [:] }
        let rows = try await database.read { session in
            try session.integers(.openReportCounts, ids, count: 2)
        }
        return Dictionary(rows.map { ($0.integer(0), $0.integer(1)) }) { $1 }
    }

    func reportedEvents(limit: Int) async throws -> [Int64] {
        try await database.read { session in
            try session.integers(.reportedEvents, Int64(limit))
                .reversed().map { $0.integer(0) }
        }
    }

    func attendanceCount(ofEvent id: Int64, limit: Int) async throws -> Int64 {
        try await database.read { session in
            try session.integer(.countedAttendances, id, Int64(limit)) ?? 0
        }
    }
}
