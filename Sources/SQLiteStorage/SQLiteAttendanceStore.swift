import Model
import Rules
import SQLite
import System

/// A store of attendances in SQLite.
struct SQLiteAttendanceStore: AttendanceStore {
    let database: SQLiteDatabase

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        try await database.write { connection in
            guard try isVisible(eventID, to: userID, on: connection) else {
                throw ModelError.notFound
            }
            try connection.requireWelcome(userID, at: eventID)
            return try connection.attendance(of: userID, at: eventID)
        }
    }

    func delete(
        _ id: Int64,
        userID: Int64,
        if precondition: Precondition<Attendance>? = nil
    ) async throws {
        try await database.write { connection in
            if let precondition {
                try precondition(deletable(id, by: userID, on: connection))
            }
            try connection.run(
                Self.delete,
                .integer(id),
                .integer(userID)
            )
            if connection.changes == 0 { throw ModelError.notFound }
        }
    }

    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]? {
        try database.read { connection in
            guard try isVisible(id, to: viewer, on: connection) else { return nil }
            let viewer = ColumnValue.integer(orNull: viewer).bound
            return try connection.all(Self.ofEvent, .integer(id), viewer) { row in
                var attendance = Attendance(row)
                attendance.userName = row.optionalText(Self.nameColumn)
                return attendance
            }
        }
    }

    /// Returns the attendance that a user may delete, and throws `ModelError.notFound` if there is
    /// no such attendance.
    private func deletable(
        _ id: Int64,
        by userID: Int64,
        on connection: Connection
    ) throws -> Attendance {
        let attendance = try connection.first(
            Self.deletable,
            .integer(id),
            .integer(userID)
        ) { row in Attendance(row) }
        guard let attendance else { throw ModelError.notFound }
        return attendance
    }

    /// Returns whether there is such an event that a user, or anybody if it is nil, can see.
    private func isVisible(
        _ id: Int64,
        to viewer: Int64?,
        on connection: Connection
    ) throws -> Bool {
        try connection.first(
            Self.isVisible,
            .integer(id),
            ColumnValue.integer(orNull: viewer).bound
        ) { _ in true } ?? false
    }

    /// The attendances of the event ?1 without those of users whom ?2 blocks.
    private static let ofEvent = SQL(
        made: """
            SELECT \(Table.attendances.list), (SELECT name FROM users WHERE users.id = user_id)
            FROM attendances WHERE event_id = ?1 AND NOT EXISTS (
                SELECT 1 FROM blocks
                WHERE blocks.user_id = ?2 AND blocked_id = attendances.user_id
            ) ORDER BY id
            """
    )
    private static let nameColumn = Int32(clamping: Table.attendances.columns.count)
    private static let isVisible = SQL(
        made: "SELECT 1 FROM events WHERE id = ?1 AND \(SQL.eventIsVisible)"
    )

    /// The condition for attendances that the user ?2 may delete: their own, and those of guests of
    /// their private events.
    private static let deletableCondition = """
        WHERE id = ?1 AND (user_id = ?2 OR ?2 = (
            SELECT owner_id FROM events
            WHERE events.id = attendances.event_id AND visibility IS NOT NULL
        ))
        """
    private static let deletable = SQL(selectingFrom: .attendances, deletableCondition)
    private static let delete = SQL(made: "DELETE FROM attendances \(deletableCondition)")
}

extension Connection {
    /// Throws `ModelError.notFound` if a user can't attend an event: it is hidden, one of the user
    /// and the owner blocks the other, or the user was banned or deleted a moment ago.
    func requireWelcome(_ user: Int64, at event: Int64) throws {
        let isWelcome = try first(
            """
            SELECT 1 FROM events
            WHERE id = ?1 AND (hidden = 0 OR owner_id = ?2) AND NOT EXISTS (
                SELECT 1 FROM blocks WHERE (user_id = ?2 AND blocked_id = owner_id)
                    OR (user_id = owner_id AND blocked_id = ?2)
            ) AND NOT EXISTS (
                SELECT 1 FROM users
                WHERE id = ?2 AND (banned_at IS NOT NULL OR deleted_at IS NOT NULL)
            )
            """,
            .integer(event),
            .integer(user)
        ) { _ in true }
        if isWelcome == nil { throw ModelError.notFound }
    }

    /// Returns a user's attendance of an existing event, and stores it if it is new; call it in a
    /// transaction.
    func attendance(of userID: Int64, at eventID: Int64) throws -> Attendance {
        let known = try first(Self.attendance, .integer(eventID), .integer(userID)) { row in
            Attendance(row)
        }
        if let known { return known }
        let id = try AttendanceRecord(id: nil, eventID: eventID, userID: userID).insert(on: self)
        return Attendance(id: id, userID: userID, eventID: eventID)
    }

    private static let attendance = SQL(
        selectingFrom: .attendances,
        "WHERE event_id = ? AND user_id = ?"
    )
}
