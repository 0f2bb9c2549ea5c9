import Model
package import System

/// The statements of what operators see, which both engines understand.
extension SharedSQL {
    /// A number of rows, which are not counted beyond `RecordTotals.mostCounted`.
    private static func count(
        _ rows: String,
        upTo limit: Int64 = RecordTotals.mostCounted
    ) -> String {
        "(SELECT count(*) FROM (SELECT 1 AS one FROM \(rows) LIMIT \(limit)) AS counted)"
    }

    // MARK: - Reports

    /// The reasons that reports have.
    static let reasons =
        ReportReason.allCases.map(\.rawValue) + [
            ReportReason.ofBlocks, ReportReason.ofWords,
        ]

    /// The records with open reports, with the numbers of reports of each of `reasons`.
    ///
    /// $1 to $3 are the time, the kind and the id of the record before.
    static let openReports = SharedSQL(
        """
        SELECT listed.*, reports.id, reporter_id, created_at, reason, note FROM (
            SELECT kind, record_id, min(created_at) AS since, count(*) AS reporters, \
        \(reasons.map { "count(CASE WHEN reason = '\($0)' THEN 1 END) AS \($0)" }
                .joined(separator: ", ")), max(id) AS latest
            FROM reports WHERE resolved_at IS NULL GROUP BY kind, record_id
            HAVING min(created_at) > $1
                OR min(created_at) = $1 AND (kind > $2 OR kind = $2 AND record_id > $3)
            ORDER BY since, kind, record_id LIMIT $4
        ) AS listed JOIN reports ON reports.id = listed.latest
        ORDER BY listed.since, listed.kind, listed.record_id
        """
    )
    static let reportsOfRecord: SharedSQL = """
        SELECT id, reporter_id, created_at, resolved_at, reason, note, outcome FROM reports
        WHERE kind = $1 AND record_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4
        """

    // MARK: - Users and accounts

    static let userDetails = SharedSQL(
        """
        SELECT id, created_at, banned_at, deleted_at, merged_into,
            \(count("attendances WHERE user_id = $1")),
            \(count("reports WHERE kind = 2 AND record_id = $1")),
            \(count("reports WHERE reporter_id = $1")),
            \(count("blocks WHERE blocked_id = $1")), name
        FROM users WHERE id = $1
        """
    )
    /// The number of a user's events, which are searched for in the table.
    static let eventCount = SharedSQL(
        "SELECT \(count("events WHERE owner_id = $1"))"
    )

    /// The number of tasks of an account up to which a list counts them.
    private static let listedTasks: Int64 = 100

    private static func accountColumns(tasksUpTo limit: Int64) -> String {
        """
        id, \(count("todo_tasks WHERE account_id = accounts.id", upTo: limit)),
            CASE WHEN EXISTS (SELECT 1 FROM sessions WHERE account_id = accounts.id)
                THEN 1 ELSE 0 END,
            email, name
        """
    }

    /// The accounts from the e-mail address $1 on and before $2.
    static let accounts = SharedSQL(
        """
        SELECT \(accountColumns(tasksUpTo: listedTasks)) FROM accounts
        WHERE lower(email) >= $1 AND lower(email) < $2 ORDER BY lower(email) LIMIT $3
        """
    )
    static let accountDetails = SharedSQL(
        """
        SELECT \(accountColumns(tasksUpTo: RecordTotals.mostCounted)) FROM accounts
        WHERE id = $1
        """
    )

    // MARK: - Totals

    /// The number of rows of a table, or more than are counted, and the greatest id.
    private static func total(_ table: String) -> String {
        "\(count(table, upTo: RecordTotals.mostCounted + 1)), (SELECT max(id) FROM \(table))"
    }

    static let recordTotals = SharedSQL(
        """
        SELECT (SELECT count(*) FROM events WHERE hidden <> 0),
            \(total("users")), \(total("attendances")), \(total("accounts"))
        """
    )
}

/// The statements of what operators see as PostgreSQL takes them, which tests check.
package enum AdminStatements {
    package static let all = [
        SharedSQL.openReports, .reportsOfRecord, .userDetails, .eventCount, .accounts,
        .accountDetails, .recordTotals,
    ].map(\.postgresql)
}
