package import Model
import SQLite
import Time

/// A store of attendances in SQLite.
package struct SQLiteAttendanceStore: AttendanceStore {
    private let database: SQLiteDatabase

    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        try await database.write { connection in
            if let known = try attendance(of: userID, at: eventID, on: connection) { return known }
            guard try eventExists(eventID, on: connection) else { throw ModelError.notFound }
            try connection.run(
                "INSERT INTO attendances (user_id, event_id, created_at) VALUES (?, ?, ?)",
                .integer(userID),
                .integer(eventID),
                .integer(Timestamp.now().milliseconds)
            )
            return Attendance(
                id: connection.lastInsertRowID,
                userID: userID,
                eventID: eventID
            )
        }
    }

    package func delete(
        _ id: Int64,
        userID: Int64,
        if precondition: Precondition<Attendance>? = nil
    ) async throws {
        try await database.write { connection in
            if let precondition {
                try precondition(own(id, userID: userID, on: connection))
            }
            try connection.run(
                "DELETE FROM attendances WHERE id = ? AND user_id = ?",
                .integer(id),
                .integer(userID)
            )
            if connection.changes == 0 { throw ModelError.notFound }
        }
    }

    package func all(ofEvent id: Int64) async throws -> [Attendance]? {
        try database.read { connection in
            let attendances = try connection.all(
                "SELECT id, user_id FROM attendances WHERE event_id = ? ORDER BY id",
                .integer(id)
            ) { row in
                Attendance(id: row.int64(0), userID: row.int64(1), eventID: id)
            }
            let isKnown = try !attendances.isEmpty || eventExists(id, on: connection)
            return isKnown ? attendances : nil
        }
    }

    private func attendance(
        of userID: Int64,
        at eventID: Int64,
        on connection: Connection
    ) throws -> Attendance? {
        try connection.first(
            "SELECT id FROM attendances WHERE event_id = ? AND user_id = ?",
            .integer(eventID),
            .integer(userID)
        ) { row in
            Attendance(id: row.int64(0), userID: userID, eventID: eventID)
        }
    }

    /// Returns the user's own attendance, and throws `ModelError.notFound` if it doesn't exist.
    private func own(
        _ id: Int64,
        userID: Int64,
        on connection: Connection
    ) throws -> Attendance {
        let attendance = try connection.first(
            "SELECT event_id FROM attendances WHERE id = ? AND user_id = ?",
            .integer(id),
            .integer(userID)
        ) { row in
            Attendance(id: id, userID: userID, eventID: row.int64(0))
        }
        guard let attendance else { throw ModelError.notFound }
        return attendance
    }

    private func eventExists(_ id: Int64, on connection: Connection) throws -> Bool {
        try connection.first("SELECT 1 FROM events WHERE id = ?", .integer(id)) { _ in true }
            ?? false
    }
}
