import Events
import Model
import Rules
package import System

/// The statements of moderation, which both engines understand.
extension SharedSQL {
    static let userWithToken: SharedSQL = """
        SELECT id, banned_at, deleted_at FROM users
        WHERE id = (SELECT user_id FROM valid_tokens WHERE digest = $1) FOR UPDATE
        """
    /// Finds the user without a lock, for reads.
    static let userToRead: SharedSQL = """
        SELECT id, banned_at, deleted_at FROM users
        WHERE id = (SELECT user_id FROM valid_tokens WHERE digest = $1)
        """
    static let user: SharedSQL = """
        SELECT id, banned_at, deleted_at FROM users WHERE id = $1 FOR UPDATE
        """
    static let userWithCode: SharedSQL = """
        SELECT id, banned_at, deleted_at FROM users
        WHERE deletion_digest = $1 AND deletion_expires_at > $2 FOR UPDATE
        """

    // MARK: - Events

    static let event: SharedSQL = """
        SELECT owner_id, hidden, updated_at FROM events WHERE id = $1 FOR UPDATE
        """
    /// Finds an event that the user $2 can see; the user's blocks don't count.
    static let visibleEvent: SharedSQL = """
        SELECT owner_id, hidden, updated_at FROM events
        WHERE id = $1 AND (owner_id = $2 OR hidden = 0 AND (visibility IS NULL OR EXISTS (
            SELECT 1 FROM attendances
            WHERE attendances.event_id = events.id AND attendances.user_id = $2
        )))
        """
    /// All columns of an event, in their order.
    static let wholeEvent = SharedSQL(
        "SELECT \(Table.events.list) FROM events WHERE id = $1 FOR UPDATE"
    )
    /// The columns that an operator's edit writes.
    static let edited = EventColumn.attributes + [.updatedAt]
    static let editEvent = SharedSQL(
        """
        UPDATE events SET \(edited.columns.assignments("$", from: 2)) WHERE id = $1
        """
    )
    static let setHidden: SharedSQL = "UPDATE events SET hidden = $2 WHERE id = $1"
    static let setHiddenOfOwner: SharedSQL = """
        UPDATE events SET hidden = $3 WHERE owner_id = $1 AND hidden = $2 RETURNING id
        """
    static let eventsOfOwner: SharedSQL = "SELECT id FROM events WHERE owner_id = $1"
    static let attendancesOfEvent = SharedSQL(
        """
        SELECT \(AttendanceRecord.table.list) FROM attendances WHERE event_id = $1 LIMIT $2
        """
    )
    /// Finds the users among $1 that are not deleted and have no block with the user $2.
    static let guests: SharedSQL = """
        SELECT id FROM users WHERE id = ANY($1) AND deleted_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM blocks
            WHERE user_id = users.id AND blocked_id = $2 OR user_id = $2 AND blocked_id = users.id
        ) ORDER BY id FOR KEY SHARE
        """

    // MARK: - Users

    static let setBan: SharedSQL = "UPDATE users SET banned_at = $2 WHERE id = $1"
    static let endBan: SharedSQL = "UPDATE users SET banned_at = NULL WHERE id = $1"
    static let users: SharedSQL = """
        SELECT id, created_at, banned_at, deleted_at, merged_into FROM users
        WHERE id < $1 ORDER BY id DESC LIMIT $2
        """
    static let bannedUsers: SharedSQL = """
        SELECT id, created_at, banned_at, deleted_at, merged_into FROM users
        WHERE banned_at IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2
        """

    // MARK: - Deletion

    static let setCode: SharedSQL = """
        UPDATE users SET deletion_digest = $2, deletion_expires_at = $3
        WHERE id = $1 RETURNING id
        """
    static let deleteAttendances: SharedSQL = """
        DELETE FROM attendances WHERE user_id = $1 RETURNING id, user_id, event_id
        """
    static let deleteBlocks: SharedSQL = """
        DELETE FROM blocks WHERE user_id = $1 OR blocked_id = $1 RETURNING user_id, blocked_id
        """
    static let forgetReports: SharedSQL = """
        UPDATE reports SET note = NULL, reporter_id = -reporter_id WHERE reporter_id = $1
        """
    static let forgetActions: SharedSQL = """
        UPDATE admin_actions SET before = NULL, after = NULL WHERE user_id = $1
        """
    static let deleteUser: SharedSQL = """
        UPDATE users
        SET deletion_digest = NULL, deletion_expires_at = NULL, name = NULL, deleted_at = $2
        WHERE id = $1
        """
    /// The users whose data was deleted, with those that were merged into them before.
    static let deletedUsers: SharedSQL = """
        WITH RECURSIVE gone (id) AS (
            SELECT id FROM users WHERE deleted_at IS NOT NULL AND merged_into IS NULL
            UNION
            SELECT users.id FROM users JOIN gone ON users.merged_into = gone.id
        )
        SELECT id FROM gone ORDER BY id
        """
    static let deletedAccounts: SharedSQL = """
        SELECT account_id FROM deleted_accounts ORDER BY account_id
        """
    static let account: SharedSQL = "SELECT id FROM accounts WHERE id = $1 FOR UPDATE"
    static let setAccountHash: SharedSQL = """
        UPDATE accounts SET password_hash = $2, updated_at = $3 WHERE id = $1 RETURNING id
        """
    static let deleteAccountTasks: SharedSQL = """
        DELETE FROM todo_tasks WHERE account_id = $1 RETURNING id
        """
    static let deleteSessions: SharedSQL = """
        DELETE FROM sessions WHERE account_id = $1 RETURNING id
        """
    static let deleteAccount: SharedSQL = "DELETE FROM accounts WHERE id = $1 RETURNING id"
    static let noteDeletedAccount: SharedSQL = """
        INSERT INTO deleted_accounts (account_id, deleted_at) VALUES ($1, $2)
        ON CONFLICT (account_id) DO NOTHING
        """

    // MARK: - Reports

    static let changeReport: SharedSQL = """
        UPDATE reports SET reason = $2, note = $3 WHERE id = $1 AND resolved_at IS NULL
        RETURNING id
        """
    static let openReport: SharedSQL = """
        SELECT id, reason FROM reports
        WHERE kind = $1 AND record_id = $2 AND reporter_id = $3 AND resolved_at IS NULL
        """
    static let closedReport: SharedSQL = """
        SELECT id FROM reports
        WHERE kind = $1 AND record_id = $2 AND reporter_id = $3 AND resolved_at >= $4
        ORDER BY id DESC LIMIT 1
        """
    /// The number of open reports of users, up to a limit.
    static let openCount: SharedSQL = """
        SELECT count(*) FROM (
            SELECT 1 AS one FROM reports WHERE resolved_at IS NULL AND reporter_id <> 0 LIMIT $1
        ) AS open
        """
    static let reportTotals: SharedSQL = """
        SELECT count(*), min(created_at) FROM reports WHERE resolved_at IS NULL
        """
    static let openCountOfRecord: SharedSQL = """
        SELECT count(*) FROM reports WHERE kind = $1 AND record_id = $2 AND resolved_at IS NULL
        """
    static let addReport: SharedSQL = """
        INSERT INTO reports (kind, record_id, reporter_id, reason, note, created_at)
        VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
        """
    /// Deletes two of the reports that were closed before a time.
    static let purgeReports: SharedSQL = """
        DELETE FROM reports WHERE id IN (
            SELECT id FROM reports WHERE resolved_at < $1 ORDER BY resolved_at LIMIT 2
        )
        """
    /// The number of users who count for REPORTS_HIDE: created before $2, not banned.
    static let hidingReporters: SharedSQL = """
        SELECT count(*) FROM reports JOIN users ON users.id = reports.reporter_id
        WHERE kind = 1 AND record_id = $1 AND resolved_at IS NULL
            AND reason NOT IN ('wrong', 'blocked', 'words')
            AND users.created_at <= $2 AND users.banned_at IS NULL
        """
    /// A decision of an operator to show an event since its last change $2.
    static let decision: SharedSQL = """
        SELECT 1 FROM reports
        WHERE kind = 1 AND record_id = $1 AND outcome = 'dismiss' AND resolved_at >= $2
        UNION ALL
        SELECT 1 FROM admin_actions
        WHERE kind = 'event' AND record_id = $1 AND action = 'show' AND at >= $2
            AND undone_by IS NULL
        """
    /// Stores the report of the list of blocked words about an event that it has hidden.
    package static let reportWords: SharedSQL = """
        INSERT INTO reports (kind, record_id, reporter_id, reason, note, created_at)
        SELECT 1, id, 0, 'words', $2, $3 FROM events WHERE id = $1 AND hidden = 3
        ON CONFLICT (kind, record_id, reporter_id) WHERE resolved_at IS NULL
        DO UPDATE SET note = excluded.note
        RETURNING id
        """
    /// Closes the report of the list about an event that it no longer hides.
    package static let closeWordReport: SharedSQL = """
        UPDATE reports SET resolved_at = $2, outcome = 'edited'
        WHERE kind = 1 AND record_id = $1 AND reporter_id = 0 AND resolved_at IS NULL
            AND EXISTS (SELECT 1 FROM events WHERE id = $1 AND hidden = 0)
        RETURNING id
        """
    static let closeReports: SharedSQL = """
        UPDATE reports SET resolved_at = $3, outcome = $4
        WHERE kind = $1 AND record_id = $2 AND resolved_at IS NULL RETURNING id
        """
    static let reopenReports: SharedSQL = """
        UPDATE reports SET resolved_at = NULL, outcome = NULL
        WHERE kind = $1 AND record_id = $2 AND resolved_at = $3 AND NOT EXISTS (
            SELECT 1 FROM reports AS later
            WHERE later.kind = $1 AND later.record_id = $2 AND later.resolved_at IS NULL
                AND later.reporter_id = reports.reporter_id
        )
        """

    // MARK: - Blocks

    static let block: SharedSQL = """
        SELECT id FROM blocks WHERE user_id = $1 AND blocked_id = $2
        """
    static let blockCount: SharedSQL = "SELECT count(*) FROM blocks WHERE user_id = $1"
    static let addBlock: SharedSQL = """
        INSERT INTO blocks (user_id, blocked_id, created_at) VALUES ($1, $2, $3)
        """
    static let blocks: SharedSQL = """
        SELECT blocked_id, created_at FROM blocks WHERE user_id = $1 ORDER BY id
        """
    static let deleteBlock: SharedSQL = """
        DELETE FROM blocks WHERE user_id = $1 AND blocked_id = $2 RETURNING id
        """
    /// Ends the attendances of the user $1 of events of the user $2.
    static let endAttendances: SharedSQL = """
        DELETE FROM attendances WHERE user_id = $1 AND EXISTS (
            SELECT 1 FROM events WHERE events.id = attendances.event_id AND owner_id = $2
        ) RETURNING id, user_id, event_id
        """

    // MARK: - The audit

    static let addAction: SharedSQL = """
        INSERT INTO admin_actions (actor, at, action, kind, record_id, user_id, before, after)
        VALUES ($1, $2, $3, $4, nullif($5, 0), nullif($6, 0), $7, $8) RETURNING id
        """
    /// Empties the values of actions before $1, and deletes two of those before $2.
    static let purgeValues: SharedSQL = """
        UPDATE admin_actions SET before = NULL, after = NULL WHERE id IN (
            SELECT id FROM admin_actions
            WHERE at < $1 AND (before IS NOT NULL OR after IS NOT NULL)
            ORDER BY at LIMIT 2
        )
        """
    static let purgeActions: SharedSQL = """
        DELETE FROM admin_actions WHERE id IN (
            SELECT id FROM admin_actions WHERE at < $1 ORDER BY at LIMIT 2
        )
        """
    /// Long values, such as a deleted event with many attendances, are not listed.
    static let actions: SharedSQL = """
        SELECT id, at, record_id, undone_by, user_id, actor, action, kind,
            CASE WHEN length(before) > 4096 THEN '{}' ELSE before END,
            CASE WHEN length(after) > 4096 THEN '{}' ELSE after END
        FROM admin_actions WHERE id < $1 ORDER BY id DESC LIMIT $2
        """
    static let action: SharedSQL = """
        SELECT id, at, record_id, undone_by, user_id, actor, action, kind, before, after
        FROM admin_actions WHERE id = $1
        """
    static let actionToUndo: SharedSQL = """
        SELECT id, at, record_id, undone_by, user_id, actor, action, kind, before, after
        FROM admin_actions WHERE id = $1 FOR UPDATE
        """
    static let markUndone: SharedSQL = "UPDATE admin_actions SET undone_by = $2 WHERE id = $1"
}

/// The statements of moderation as PostgreSQL takes them, which tests check.
package enum ModerationStatements {
    package static let all = [
        SharedSQL.userWithToken, .userToRead, .user, .userWithCode, .event, .visibleEvent,
        .wholeEvent, .editEvent, .setHidden, .setHiddenOfOwner, .eventsOfOwner, .attendancesOfEvent,
        .guests, .setBan, .endBan, .users, .bannedUsers, .setCode, .deleteAttendances,
        .deleteBlocks, .forgetReports, .forgetActions, .deleteUser, .deletedUsers, .deletedAccounts,
        .account, .setAccountHash, .deleteAccountTasks, .deleteSessions,
        .deleteAccount, .noteDeletedAccount, .changeReport, .openReport, .closedReport, .openCount,
        .reportTotals, .openCountOfRecord, .addReport, .purgeReports, .hidingReporters, .decision,
        .reportWords, .closeWordReport, .closeReports, .reopenReports, .block, .blockCount,
        .addBlock, .blocks, .deleteBlock, .endAttendances, .addAction, .purgeValues, .purgeActions,
        .actions, .action, .actionToUndo, .markUndone,
    ].map(\.postgresql)
}
