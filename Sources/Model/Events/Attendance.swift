package import Rules
import Time

/// A user's plan to be at an event; a user has at most one for each event.
package struct Attendance: Equatable, Sendable {
    package let id: Int64
    package let userID: Int64
    package let eventID: Int64
    /// The user's name, which lists have; nil without one.
    package var userName: String?

    package init(id: Int64, userID: Int64, eventID: Int64) {
        self.id = id
        self.userID = userID
        self.eventID = eventID
    }
}

/// The columns of the table of attendances.
package enum AttendanceColumn: Int, TableColumns {
    case id, userID, eventID, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .userID: Column("user_id", .integer)
        case .eventID: Column("event_id", .integer)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

extension Attendance: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(AttendanceColumn.id),
            userID: try row.integer(AttendanceColumn.userID),
            eventID: try row.integer(AttendanceColumn.eventID)
        )
    }
}

extension AttendanceRecord: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        let attendance = try Attendance(row)
        self.init(id: attendance.id, eventID: attendance.eventID, userID: attendance.userID)
    }

    /// Returns the values of the columns for an attendance that is created now.
    package func values() -> [ColumnValue] {
        AttendanceColumn.allCases.map { column in
            switch column {
            case .id: .integer(orNull: id)
            case .userID: .integer(userID)
            case .eventID: .integer(eventID)
            case .createdAt: .time(.now())
            }
        }
    }
}
