import Model
import PostgreSQL
import Rules
import Time

/// A store of attendances in PostgreSQL.
struct PostgreSQLAttendanceStore: AttendanceStore {
    let database: PostgreSQLDatabase

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        let id = try await database.number(
            Command(
                AttendanceStatements.findOrCreate,
                [.bigint(eventID), .bigint(userID), .bigint(Timestamp.now().milliseconds)]
            ).noting(ChangeNote.attendance(of: userID, at: eventID))
        )
        guard let id else { throw ModelError.notFound }
        return Attendance(id: id, userID: userID, eventID: eventID)
    }

    func delete(
        _ id: Int64,
        userID: Int64,
        if precondition: Precondition<Attendance>? = nil
    ) async throws {
        if let precondition {
            // An attendance never changes, so it need not be compared again.
            try await precondition(deletable(id, by: userID))
        }
        let deleted = try await database.number(
            Command(AttendanceStatements.delete, [.bigint(id), .bigint(userID)])
                .noting(ChangeNote.deletedAttendance)
        )
        if deleted == nil { throw ModelError.notFound }
    }

    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]? {
        let rows = try await database.all(
            AttendanceStatements.ofEvent,
            .bigint(id),
            .bigint(viewer)
        ) { row in
            if try row.isNull(AttendanceColumn.id.rawValue) { return Attendance?.none }
            var attendance = try Attendance(row)
            attendance.userName = try row.optionalText(Table.attendances.columns.count)
            return attendance
        }
        return rows.isEmpty ? nil : rows.compactMap(\.self)
    }

    /// Returns the attendance that a user may delete, and throws `ModelError.notFound` if there is
    /// no such attendance.
    private func deletable(_ id: Int64, by userID: Int64) async throws -> Attendance {
        let attendance = try await database.first(
            AttendanceStatements.findDeletable,
            .bigint(id),
            .bigint(userID)
        ) { row in
            try Attendance(row)
        }
        guard let attendance else { throw ModelError.notFound }
        return attendance
    }
}
