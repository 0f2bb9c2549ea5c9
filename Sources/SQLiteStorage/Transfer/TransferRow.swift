import Model
import SQLite
import Time

/// A record as a row of its table.
protocol TransferRow: TransferRecord {
    /// A query for a row with the bound id.
    static var lookUp: StaticString { get }
    /// A query for the columns that `init` reads, in the order of the ids.
    ///
    /// The bound values are the id before the first row, and the maximum number of rows.
    static var page: StaticString { get }

    /// Reads a row of `page`.
    init(_ row: borrowing Row)

    /// The id of a user that must exist before it is inserted; nil if it belongs to no user.
    var requiredUserID: Int64? { get }

    /// Returns the result if it can't be stored for a reason other than its own id.
    func obstacle(on connection: Connection) throws -> ImportResult?

    /// Inserts the record and returns its id, which is the next one if it has none.
    func insert(on connection: Connection) throws -> Int64
}

extension TransferRow {
    var requiredUserID: Int64? { nil }

    func obstacle(on connection: Connection) throws -> ImportResult? { nil }
}

extension EventRecord: TransferRow {
    static let lookUp: StaticString = "SELECT 1 FROM events WHERE id = ?"
    static let page: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id > ? ORDER BY id LIMIT ?
        """

    init(_ row: borrowing Row) {
        let event = Event(row)
        self.init(id: event.id, ownerID: event.ownerID, attributes: event.attributes)
    }

    var requiredUserID: Int64? { ownerID }

    func insert(on connection: Connection) throws -> Int64 {
        try EventRow(attributes, ownerID: ownerID).insert(id: id, on: connection)
    }
}

extension AttendanceRecord: TransferRow {
    static let lookUp: StaticString = "SELECT 1 FROM attendances WHERE id = ?"
    static let page: StaticString =
        "SELECT id, event_id, user_id FROM attendances WHERE id > ? ORDER BY id LIMIT ?"

    init(_ row: borrowing Row) {
        self.init(id: row.int64(0), eventID: row.int64(1), userID: row.int64(2))
    }

    var requiredUserID: Int64? { userID }

    func obstacle(on connection: Connection) throws -> ImportResult? {
        guard ImportResult.allows(eventID) else { return .idIsOutOfRange }
        let event = try connection.first(
            "SELECT 1 FROM events WHERE id = ?",
            .integer(eventID)
        ) { _ in true }
        guard event == true else { return .refused(reason: "there is no event \(eventID)") }
        let known = try connection.first(
            "SELECT 1 FROM attendances WHERE event_id = ? AND user_id = ?",
            .integer(eventID),
            .integer(userID)
        ) { _ in true }
        return known == true
            ? .refused(reason: "user \(userID) attends event \(eventID) already") : nil
    }

    func insert(on connection: Connection) throws -> Int64 {
        try connection.run(
            "INSERT INTO attendances (id, user_id, event_id, created_at) VALUES (?, ?, ?, ?)",
            .integer(orNull: id),
            .integer(userID),
            .integer(eventID),
            .integer(Timestamp.now().milliseconds)
        )
        return connection.lastInsertRowID
    }
}

extension TodoTaskRecord: TransferRow {
    static let lookUp: StaticString = "SELECT 1 FROM todo_tasks WHERE id = ?"
    static let page: StaticString = """
        SELECT todo_tasks.id, email, title, is_completed,
            todo_tasks.created_at, todo_tasks.updated_at
        FROM todo_tasks JOIN accounts ON accounts.id = account_id
        WHERE todo_tasks.id > ? ORDER BY todo_tasks.id LIMIT ?
        """

    init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0),
            email: EmailAddress(stored: row.text(1)),
            title: row.text(2),
            isCompleted: row.int64(3) != 0,
            createdAt: Timestamp(milliseconds: row.int64(4)),
            updatedAt: Timestamp(milliseconds: row.int64(5))
        )
    }

    func insert(on connection: Connection) throws -> Int64 {
        if let known = try connection.credentials(email: email) {
            return try insert(accountID: known.account.id, on: connection)
        }
        let accountID = try connection.insertAccount(
            email: email,
            name: "",
            passwordHash: nil,
            at: .now()
        )
        do {
            return try insert(accountID: accountID, on: connection)
        } catch {
            // A task that is refused leaves no account.
            try connection.run("DELETE FROM accounts WHERE id = ?", .integer(accountID))
            throw error
        }
    }

    private func insert(accountID: Int64, on connection: Connection) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .integer(orNull: id),
            .integer(accountID),
            .text(title),
            .boolean(isCompleted),
            .integer(createdAt.milliseconds),
            .integer(updatedAt.milliseconds)
        )
        return connection.lastInsertRowID
    }
}

extension SharedTaskRecord: TransferRow {
    static let lookUp: StaticString = "SELECT 1 FROM shared_tasks WHERE id = ?"
    static let page: StaticString = """
        SELECT id, task_id, name, is_completed
        FROM shared_tasks WHERE id > ? ORDER BY id LIMIT ?
        """

    init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0),
            task: SharedTask(taskID: row.int64(1), name: row.text(2)),
            isCompleted: row.int64(3) != 0
        )
    }

    func insert(on connection: Connection) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO shared_tasks (id, task_id, name, is_completed, created_at)
            VALUES (?, ?, ?, ?, ?)
            """,
            .integer(orNull: id),
            .integer(task.taskID),
            .text(task.name),
            .boolean(isCompleted),
            .integer(Timestamp.now().milliseconds)
        )
        return connection.lastInsertRowID
    }
}

extension CheckinRecord: TransferRow {
    static let lookUp: StaticString = "SELECT 1 FROM checkins WHERE id = ?"
    static let page: StaticString = """
        SELECT id, name, category, rating, latitude, longitude, user_name, local_time
        FROM checkins WHERE id > ? ORDER BY id LIMIT ?
        """

    init(_ row: borrowing Row) {
        let stored = StoredCheckin(row)
        self.init(id: stored.id, checkin: stored.checkin)
    }

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(checkin, id: id)
        return connection.lastInsertRowID
    }
}
