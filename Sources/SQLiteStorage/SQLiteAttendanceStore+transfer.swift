import Model
import SQLite

/// An attendance as it comes from another place or goes there.
package struct TransferredAttendance: Equatable, Sendable {
    /// The id that it must have; nil for a new one.
    package let id: Int64?
    package let eventID: Int64
    package let userID: Int64

    package init(id: Int64?, eventID: Int64, userID: Int64) {
        self.id = id
        self.eventID = eventID
        self.userID = userID
    }
}

extension TransferSession {
    /// Stores attendances as `SQLiteEventStore.importBatch` stores events.
    ///
    /// Users that do not exist are made, without a token; events are not.
    package func store(
        _ attendances: [TransferredAttendance],
        isStrict: Bool
    ) throws -> [ImportResult] {
        try ImportResult.ofEach(attendances, isStrict: isStrict, store)
    }

    /// The attendances with the lowest ids above `id`, in their order; fewer than `limit` are the
    /// last.
    package func attendances(after id: Int64, limit: Int) throws -> [TransferredAttendance] {
        try connection.all(
            "SELECT id, event_id, user_id FROM attendances WHERE id > ? ORDER BY id LIMIT ?",
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in
            TransferredAttendance(id: row.int64(0), eventID: row.int64(1), userID: row.int64(2))
        }
    }

    private func store(_ attendance: TransferredAttendance) throws -> ImportResult {
        let (eventID, userID) = (attendance.eventID, attendance.userID)
        guard ImportResult.allows(eventID), ImportResult.allows(userID) else {
            return .idIsOutOfRange
        }
        let event = try connection.first(
            "SELECT id FROM events WHERE id = ?",
            .integer(eventID)
        ) { _ in true }
        guard event == true else { return .refused(reason: "there is no event \(eventID)") }
        let known = try connection.first(
            "SELECT id FROM attendances WHERE event_id = ? AND user_id = ?",
            .integer(eventID),
            .integer(userID)
        ) { _ in true }
        if known == true {
            return .refused(reason: "user \(userID) attends event \(eventID) already")
        }
        return try connection.store(
            importedUnder: attendance.id,
            unless: "SELECT 1 FROM attendances WHERE id = ?"
        ) {
            try makeUser(userID)
            try connection.run(
                "INSERT INTO attendances (id, user_id, event_id, created_at) VALUES (?, ?, ?, ?)",
                .integer(orNull: attendance.id),
                .integer(userID),
                .integer(eventID),
                .integer(Timestamp.now().milliseconds)
            )
            return connection.lastInsertRowID
        }
    }
}
