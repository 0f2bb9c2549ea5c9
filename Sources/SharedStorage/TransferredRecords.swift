import Events
package import Model
package import Rules
package import System

/// A record of an import or an export as a row of its table.
package protocol TransferredRow: TransferRecord, TableRecord {
    /// A query for the records in the order of the ids: after the id $1, at most $2.
    static var page: RecordQuery<Self> { get }

    /// Whether `obstacle` looks at the database, so that one record is stored at a time.
    static var needsLook: Bool { get }

    /// Returns the result if it can't be stored for a reason other than its own id.
    func obstacle(on session: any SharedSession) throws -> ImportResult?

    /// Returns the change that the log has of the record with its new id; nil if it has none.
    func change(_ id: Int64) -> LoggedChange?
}

extension TransferredRow {
    package static var needsLook: Bool { false }

    package func obstacle(on session: any SharedSession) throws -> ImportResult? { nil }

    package func change(_ id: Int64) -> LoggedChange? { nil }
}

extension SharedSession {
    /// The functions of an export for each kind of record.
    package var recordExport: RecordExport {
        RecordExport(
            events: page,
            attendances: page,
            todoTasks: page,
            sharedTasks: page,
            checkins: page
        )
    }

    private func page<Record: TransferredRow>(after id: Int64, _ limit: Int) throws -> [Record] {
        try records(Record.page, id, SharedValue.limit(limit))
    }
}

extension RecordQuery where Record: TransferRecord {
    fileprivate init(pageOf table: Table) {
        self.init(table, "WHERE id > $1 ORDER BY id LIMIT $2")
    }
}

extension EventRecord: TransferredRow {
    package static let page = RecordQuery<Self>(pageOf: .events)

    package func change(_ id: Int64) -> LoggedChange? { .newEvent(id, owner: ownerID) }
}

extension AttendanceRecord: TransferredRow {
    package static let page = RecordQuery<Self>(pageOf: .attendances)
    package static let needsLook = true

    package func obstacle(on session: any SharedSession) throws -> ImportResult? {
        guard ImportResult.allows(eventID) else { return .idIsOutOfRange }
        let ids = [SharedValue.integer(eventID), .integer(userID)]
        let kinds: [ColumnKind] = [.boolean, .boolean]
        let row = try session.rows(TransferStatements.attendanceObstacles, ids, kinds).first
        guard row?[0] == .boolean(true) else {
            return .refused(reason: "there is no event \(eventID)")
        }
        return row?[1] == .boolean(true)
            ? .refused(reason: "user \(userID) attends event \(eventID) already") : nil
    }

    package func change(_ id: Int64) -> LoggedChange? {
        .attendance(id, user: userID, event: eventID)
    }
}

extension TodoTaskRecord: TransferredRow {
    package static let page = RecordQuery<Self>(
        SharedSQL(
            """
            SELECT \(Table.todoTasks.list(of: "task")), email
            FROM todo_tasks AS task JOIN accounts ON accounts.id = account_id
            WHERE task.id > $1 ORDER BY task.id LIMIT $2
            """
        )
    )

    package func change(_ id: Int64) -> LoggedChange? { .task(id, account: nil) }
}

extension SharedTaskRecord: TransferredRow {
    package static let page = RecordQuery<Self>(pageOf: .sharedTasks)
}

extension CheckinRecord: TransferredRow {
    package static let page = RecordQuery<Self>(pageOf: .checkins)
}

/// The statements of imports and exports, which both engines understand.
package enum TransferStatements {
    /// Whether the event exists, and whether the user attends it.
    static let attendanceObstacles: SharedSQL = """
        SELECT EXISTS (SELECT 1 FROM events WHERE id = $1),
            EXISTS (SELECT 1 FROM attendances WHERE event_id = $1 AND user_id = $2)
        """

    package static let all: [SQL] = [
        attendanceObstacles, EventRecord.page.sql, AttendanceRecord.page.sql,
        TodoTaskRecord.page.sql, SharedTaskRecord.page.sql, CheckinRecord.page.sql,
    ].map(\.postgresql)
}
