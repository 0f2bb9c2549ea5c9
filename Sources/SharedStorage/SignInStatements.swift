package import System

/// The statements about devices, identities and names, which both engines understand.
extension SharedSQL {
    // MARK: - Tokens

    static let token: SharedSQL = """
        SELECT id, user_id, replaces, last_seen_on FROM user_tokens
        WHERE digest = $1 AND EXISTS (SELECT 1 FROM valid_tokens WHERE digest = $1)
        """
    /// A token that is to replace another one counts as the same device.
    static let devices: SharedSQL = """
        SELECT id, created_at, last_seen_on, CASE WHEN digest = $2 THEN 1 ELSE 0 END, name
        FROM user_tokens
        WHERE user_id = $1 AND (ends_at IS NULL OR ends_at > $3)
            AND (digest = $2 OR NOT EXISTS (
                SELECT 1 FROM user_tokens AS old
                WHERE old.id = user_tokens.replaces AND (old.ends_at IS NULL OR old.ends_at > $3)
            )) AND NOT EXISTS (
                SELECT 1 FROM user_tokens AS new
                WHERE new.user_id = $1 AND new.replaces = user_tokens.id AND new.digest = $2
            )
        ORDER BY id DESC
        """
    static let renameDevice: SharedSQL = """
        UPDATE user_tokens SET name = $3 WHERE user_id = $1 AND id = $2 RETURNING id
        """
    /// Ends the token $2 of the user $1 with those that are to replace it or that it replaces.
    static let endDevice: SharedSQL = """
        DELETE FROM user_tokens
        WHERE user_id = $1 AND (id = $2 OR replaces = $2
            OR id = (SELECT replaces FROM user_tokens AS new WHERE new.id = $2 AND user_id = $1))
        RETURNING id
        """
    static let endAll: SharedSQL = "DELETE FROM user_tokens WHERE user_id = $1 RETURNING id"
    static let endUnused: SharedSQL = """
        DELETE FROM user_tokens WHERE replaces = $1 AND user_id = $2
        """
    static let addSuccessor: SharedSQL = """
        INSERT INTO user_tokens (user_id, digest, name, created_at, replaces, scope_id)
        SELECT user_id, $2, name, $3, id, scope_id FROM user_tokens WHERE id = $1
        """
    static let endLater: SharedSQL = """
        UPDATE user_tokens SET ends_at = $2 WHERE id = $1 AND ends_at IS NULL
        """
    static let noteUse: SharedSQL = """
        UPDATE user_tokens SET last_seen_on = $2, replaces = NULL WHERE id = $1
        """
    static let endToken: SharedSQL = "DELETE FROM user_tokens WHERE id = $1"
    static let deleteEnded: SharedSQL = """
        DELETE FROM user_tokens WHERE (user_id = $1 OR digest = $2) AND ends_at <= $3
        """
    /// Makes tokens whose predecessors have ended devices of their own.
    static let adoptSuccessors: SharedSQL = """
        UPDATE user_tokens SET replaces = NULL
        WHERE user_id = $1 AND replaces IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM user_tokens AS old WHERE old.id = user_tokens.replaces
        )
        """
    static let isTaken: SharedSQL = "SELECT id FROM user_tokens WHERE digest = $1"
    static let addToken: SharedSQL = """
        INSERT INTO user_tokens (user_id, digest, name, created_at, last_seen_on, scope_id)
        VALUES ($1, $2, $3, $4, $5, $1) RETURNING id
        """
    /// Ends the tokens of a user that were used least recently, except for the limit $3 and $2.
    static let endExcess: SharedSQL = """
        DELETE FROM user_tokens WHERE user_id = $1 AND coalesce(replaces, id) IN (
            SELECT id FROM user_tokens WHERE user_id = $1 AND replaces IS NULL
            ORDER BY CASE WHEN id = $2 THEN 0 ELSE 1 END, coalesce(last_seen_on, 0) DESC, id DESC
            LIMIT 10000 OFFSET $3
        )
        """
    /// Lets the log tell that the tokens of a user who blocks others have changed.
    static let touchBlock: SharedSQL = """
        UPDATE blocks SET created_at = created_at
        WHERE id = (SELECT min(id) FROM blocks WHERE user_id = $1) RETURNING blocked_id
        """

    // MARK: - Identities and names

    static let identityOwner: SharedSQL = """
        SELECT user_id, id FROM identities WHERE issuer = $1 AND subject = $2
        """
    static let identities: SharedSQL = """
        SELECT id, created_at, issuer FROM identities WHERE user_id = $1 ORDER BY id
        """
    /// No row means that another transaction has stored it.
    static let addIdentity: SharedSQL = """
        INSERT INTO identities (user_id, issuer, subject, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (issuer, subject) DO NOTHING RETURNING id
        """
    static let removeIdentity: SharedSQL = """
        DELETE FROM identities WHERE user_id = $1 AND id = $2 RETURNING id
        """
    static let deleteIdentities: SharedSQL = "DELETE FROM identities WHERE user_id = $1"
    static let addUser: SharedSQL = "INSERT INTO users (created_at) VALUES ($1) RETURNING id"
    static let rename: SharedSQL = "UPDATE users SET name = $2 WHERE id = $1"
    /// Stores the report of the list of blocked words about a user's name.
    static let reportName: SharedSQL = """
        INSERT INTO reports (kind, record_id, reporter_id, reason, note, created_at)
        VALUES (2, $1, 0, 'words', $2, $3)
        ON CONFLICT (kind, record_id, reporter_id) WHERE resolved_at IS NULL
        DO UPDATE SET note = excluded.note
        """

    // MARK: - Merging the user $1 into the user $2

    static let attendanceCount: SharedSQL = """
        SELECT count(*) FROM attendances WHERE user_id = $1
        """
    /// Something besides events and attendances that a user would miss.
    static let otherRecords: SharedSQL = """
        SELECT id FROM users
        WHERE id = $1 AND (name IS NOT NULL OR banned_at IS NOT NULL
            OR EXISTS (SELECT 1 FROM blocks WHERE user_id = $1)
            OR EXISTS (SELECT 1 FROM reports WHERE reporter_id = $1))
        """
    static let lastEvent: SharedSQL = "SELECT max(id) FROM events"
    /// The events of the user $1 from the id $2 on.
    static let lateEvents: SharedSQL = """
        SELECT id FROM events WHERE id >= $2 AND owner_id = $1
        """
    static let deleteDoubleAttendances: SharedSQL = """
        DELETE FROM attendances WHERE user_id = $1 AND event_id IN (
            SELECT event_id FROM attendances AS other WHERE other.user_id = $2
        ) RETURNING id, user_id, event_id
        """
    static let moveAttendances: SharedSQL = """
        UPDATE attendances SET user_id = $2 WHERE user_id = $1 RETURNING id, user_id, event_id
        """
    /// Ends the blocks between the two, and those that the other one has, too.
    static let deleteDoubleBlocks: SharedSQL = """
        DELETE FROM blocks
        WHERE (user_id = $1 AND (blocked_id = $2 OR blocked_id IN (
                SELECT blocked_id FROM blocks AS other WHERE other.user_id = $2)))
            OR (blocked_id = $1 AND (user_id = $2 OR user_id IN (
                SELECT user_id FROM blocks AS other WHERE other.blocked_id = $2)))
        RETURNING user_id, blocked_id
        """
    static let moveBlocks: SharedSQL = """
        UPDATE blocks SET user_id = CASE WHEN user_id = $1 THEN $2 ELSE user_id END,
            blocked_id = CASE WHEN blocked_id = $1 THEN $2 ELSE blocked_id END
        WHERE user_id = $1 OR blocked_id = $1 RETURNING user_id, blocked_id
        """
    /// Ends the attendances of the user $1 of events of users who block the user, or the reverse.
    static let endOwnAttendances: SharedSQL = """
        DELETE FROM attendances WHERE user_id = $1 AND EXISTS (
            SELECT 1 FROM events JOIN blocks ON (blocks.user_id = $1 AND blocked_id = owner_id)
                OR (blocks.user_id = owner_id AND blocked_id = $1)
            WHERE events.id = attendances.event_id
        ) RETURNING id, user_id, event_id
        """
    /// Ends the attendances of these users of events of the user $1.
    static let endGuests: SharedSQL = """
        DELETE FROM attendances WHERE user_id IN (
            SELECT blocked_id FROM blocks WHERE user_id = $1
            UNION SELECT user_id FROM blocks WHERE blocked_id = $1
        ) AND EXISTS (
            SELECT 1 FROM events WHERE events.id = attendances.event_id AND owner_id = $1
        ) RETURNING id, user_id, event_id
        """
    /// Closes the open reports that would be double, or of a user about the same user.
    static let closeDoubleReports: SharedSQL = """
        UPDATE reports SET resolved_at = $3, outcome = 'gone'
        WHERE resolved_at IS NULL AND (
            (reporter_id = $1 AND ((kind = 2 AND record_id = $2) OR EXISTS (
                SELECT 1 FROM reports AS other
                WHERE other.reporter_id = $2 AND other.kind = reports.kind
                    AND other.record_id = reports.record_id AND other.resolved_at IS NULL)))
            OR (kind = 2 AND record_id = $1 AND (reporter_id = $2 OR EXISTS (
                SELECT 1 FROM reports AS other
                WHERE other.kind = 2 AND other.record_id = $2
                    AND other.reporter_id = reports.reporter_id AND other.resolved_at IS NULL)))
        )
        """
    static let moveReports: SharedSQL = "UPDATE reports SET reporter_id = $2 WHERE reporter_id = $1"
    static let moveReportsAbout: SharedSQL = """
        UPDATE reports SET record_id = $2 WHERE kind = 2 AND record_id = $1
        """
    static let moveTokens: SharedSQL = "UPDATE user_tokens SET user_id = $2 WHERE user_id = $1"
    static let moveIdentities: SharedSQL = "UPDATE identities SET user_id = $2 WHERE user_id = $1"
    static let moveActions: SharedSQL = "UPDATE admin_actions SET user_id = $2 WHERE user_id = $1"
    static let takeName: SharedSQL = """
        UPDATE users SET name = (SELECT name FROM users AS other WHERE other.id = $1)
        WHERE id = $2 AND name IS NULL
        """
    static let endUser: SharedSQL = """
        UPDATE users
        SET name = NULL, deletion_digest = NULL, deletion_expires_at = NULL, deleted_at = $3,
            merged_into = $2
        WHERE id = $1
        """
}

/// The statements of sign-in as PostgreSQL takes them, which tests check.
package enum SignInStatements {
    package static let all = [
        SharedSQL.token, .devices, .renameDevice, .endDevice, .endAll, .endUnused, .addSuccessor,
        .endLater, .noteUse, .endToken, .deleteEnded, .isTaken, .addToken, .endExcess, .touchBlock,
        .identityOwner, .identities, .addIdentity, .removeIdentity, .deleteIdentities, .addUser,
        .rename, .reportName, .attendanceCount, .otherRecords, .lastEvent, .lateEvents,
        .deleteDoubleAttendances, .moveAttendances, .deleteDoubleBlocks, .moveBlocks,
        .adoptSuccessors, .endOwnAttendances, .endGuests, .closeDoubleReports, .moveReports,
        .moveReportsAbout, .moveTokens, .moveIdentities, .moveActions, .takeName, .endUser,
    ].map(\.postgresql)
}
