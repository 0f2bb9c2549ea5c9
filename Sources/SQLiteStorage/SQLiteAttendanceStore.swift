import Model
import Rules
import SQLite
import System

/// A store of attendances in SQLite.
struct SQLiteAttendanceStore: AttendanceStore {
    let database: SQLiteDatabase

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        try await database.write { connection in
            if let known = try attendance(of: userID, at: eventID, on: connection) { return known }
            guard try eventExists(eventID, on: connection) else { throw ModelError.notFound }
            let record = AttendanceRecord(id: nil, eventID: eventID, userID: userID)
            let id = try record.insert(on: connection)
            return Attendance(id: id, userID: userID, eventID: eventID)
        }
    }

    func delete(
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

    func all(ofEvent id: Int64) async throws -> [Attendance]? {
        try database.read { connection in
            let attendances = try connection.all(Self.ofEvent, .integer(id)) { row in
                Attendance(row)
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
        try connection.first(Self.ofUser, .integer(eventID), .integer(userID)) { row in
            Attendance(row)
        }
    }

    /// Returns the user's own attendance, and throws `ModelError.notFound` if it doesn't exist.
    private func own(_ id: Int64, userID: Int64, on connection: Connection) throws -> Attendance {
        let attendance = try connection.first(Self.own, .integer(id), .integer(userID)) { row in
            Attendance(row)
        }
        guard let attendance else { throw ModelError.notFound }
        return attendance
    }

    private static let ofEvent = SQL(selectingFrom: .attendances, "WHERE event_id = ? ORDER BY id")
    private static let ofUser = SQL(
        selectingFrom: .attendances,
        "WHERE event_id = ? AND user_id = ?"
    )
    private static let own = SQL(selectingFrom: .attendances, "WHERE id = ? AND user_id = ?")

    private func eventExists(_ id: Int64, on connection: Connection) throws -> Bool {
        try connection.first("SELECT 1 FROM events WHERE id = ?", .integer(id)) { _ in true }
            ?? false
    }
}
