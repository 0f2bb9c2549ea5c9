import Model
import Rules
package import System
import Time

/// The attendances, the same for all engines.
struct AttendanceRecords: AttendanceStore {
    let database: any SharedDatabase

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        let creation = AttendanceStatements.create
        return try await database.attendance(of: userID, at: eventID, orBy: creation)
    }

    func delete(
        _ id: Int64,
        userID: Int64,
        if precondition: Precondition<Attendance>?
    ) async throws {
        let values = [SharedValue.integer(id), .integer(userID)]
        if let precondition {
            let found = try await database.records(
                AttendanceStatements.deletable,
                values[0],
                values[1]
            )
            // An attendance never changes, so it need not be compared again.
            guard let attendance = found.first else { throw ModelError.notFound }
            try precondition(attendance)
        }
        let deletion = SharedWrite(AttendanceStatements.delete, values, noting: .endedAttendance)
        if try await database.write([deletion]) == nil { throw ModelError.notFound }
    }

    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]? {
        let columns = Table.attendances.columns
        let rows = try await database.rows(
            AttendanceStatements.ofEvent,
            [.integer(id), .value(of: AttendanceColumn.userID.column, .integer(orNull: viewer))],
            columns.map(\.kind) + [.text]
        )
        guard !rows.isEmpty else { return nil }
        return rows.filter { $0.optionalInteger(0) != nil }.map { row in
            var attendance = Attendance(row)
            attendance.userName = row.optionalText(columns.count)
            return attendance
        }
    }
}

extension SharedDatabase {
    /// Returns a user's attendance of an event, and stores it with a statement if it is new.
    ///
    /// The statement has the event, the user, the time and more values as parameters. Throws
    /// `ModelError.notFound` if the user can't attend the event.
    func attendance(
        of userID: Int64,
        at eventID: Int64,
        orBy creation: SharedSQL,
        _ more: SharedValue...
    ) async throws -> Attendance {
        let ids = [SharedValue.integer(eventID), .integer(userID)]
        let time = SharedValue.integer(Timestamp.now().milliseconds)
        let note = WriteNote.attendance(user: userID, event: eventID)
        let known = SharedWrite(AttendanceStatements.known, ids, noting: note)
        var id = try await write([known, SharedWrite(creation, ids + [time] + more, noting: note)])
        // Another connection may have stored it between the two statements.
        if id == nil { id = try await write([known]) }
        guard let id else { throw ModelError.notFound }
        return Attendance(id: id, userID: userID, eventID: eventID)
    }
}

/// The statements about attendances, which both engines understand.
package enum AttendanceStatements {
    /// The condition that the user $2, or anybody if that is NULL, can see a row of `events`.
    package static let eventIsVisible = """
        (events.owner_id = $2 OR events.hidden = 0 AND (events.visibility IS NULL OR EXISTS (
            SELECT 1 FROM attendances
            WHERE attendances.event_id = events.id AND attendances.user_id = $2
        )) AND NOT EXISTS (
            SELECT 1 FROM blocks
            WHERE blocks.user_id = $2 AND blocks.blocked_id = events.owner_id
        ))
        """

    /// Returns the condition that a user can attend an event.
    ///
    /// The event is not hidden, neither of the user and the owner blocks the other, and the user is
    /// neither banned nor deleted, which the lock keeps true.
    private static func welcomes(_ user: String, at event: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM events WHERE events.id = \(event) AND (hidden = 0 OR owner_id = \(user))
                AND NOT EXISTS (
                    SELECT 1 FROM blocks
                    WHERE (blocks.user_id = \(user) AND blocked_id = events.owner_id)
                        OR (blocks.user_id = events.owner_id AND blocked_id = \(user))
                )
        ) AND (EXISTS (
            SELECT 1 FROM users
            WHERE users.id = \(user) AND banned_at IS NULL AND deleted_at IS NULL FOR KEY SHARE
        ) OR NOT EXISTS (SELECT 1 FROM users WHERE users.id = \(user)))
        """
    }

    /// Locks a known row, so that COMMIT waits until a standby has it, too.
    ///
    /// The transaction that stored it may have been given up before that. The condition names the
    /// row, because PostgreSQL would otherwise check it even if there is no such row.
    static let known = SharedSQL(
        """
        SELECT id FROM attendances
        WHERE event_id = $1 AND user_id = $2
            AND \(welcomes("attendances.user_id", at: "attendances.event_id")) FOR KEY SHARE
        """
    )

    /// The condition that `known` finds no row.
    private static let isNew = """
        NOT EXISTS (SELECT 1 FROM attendances WHERE event_id = $1 AND user_id = $2)
        """

    /// No row means that the user can't see or attend such an event.
    static let create = SharedSQL(
        """
        INSERT INTO attendances (user_id, event_id, created_at)
        SELECT $2, events.id, $3 FROM events
        WHERE events.id = $1 AND (events.visibility IS NULL OR events.owner_id = $2)
            AND \(isNew) AND \(welcomes("$2", at: "$1"))
        RETURNING id
        """,
        addsRecord: true
    )

    /// No row means that the event $1 has no code of the digest $4.
    static let join = SharedSQL(
        """
        INSERT INTO attendances (user_id, event_id, created_at)
        SELECT $2, event_id, $3 FROM invitations
        WHERE event_id = $1 AND code_digest = $4 AND \(isNew) AND \(welcomes("$2", at: "$1"))
        RETURNING id
        """,
        addsRecord: true
    )

    /// The condition for attendances that the user $2 may delete: their own, and those of guests of
    /// their private events.
    private static let isDeletable = """
        WHERE id = $1 AND (user_id = $2 OR $2 = (
            SELECT owner_id FROM events
            WHERE events.id = attendances.event_id AND visibility IS NOT NULL
        ))
        """
    static let deletable = RecordQuery<Attendance>(.attendances, isDeletable)

    /// No row means that the user may delete no such attendance.
    static let delete = SharedSQL(
        """
        DELETE FROM attendances \(isDeletable)
        RETURNING id, user_id, CAST(2 AS BIGINT), event_id
        """
    )

    /// No row means that the user $2, or anybody if that is NULL, can't see such an event, and one
    /// of NULLs that it has no attendances.
    static let ofEvent = SharedSQL(
        """
        SELECT \(Table.attendances.list(of: "attendances")),
            (SELECT name FROM users WHERE users.id = attendances.user_id)
        FROM events LEFT JOIN attendances ON attendances.event_id = events.id
            AND NOT EXISTS (
                SELECT 1 FROM blocks
                WHERE blocks.user_id = $2 AND blocked_id = attendances.user_id
            )
        WHERE events.id = $1 AND \(eventIsVisible)
        ORDER BY attendances.id
        """
    )

    package static let all: [SQL] = [
        known, create, join, deletable.sql, delete, ofEvent,
    ].map(\.postgresql)
}
