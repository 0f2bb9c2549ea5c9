import Model
import PostgreSQL
import Time

/// A record as a row of its table.
protocol TransferRow: TransferRecord {
    /// A query for the columns that `init` reads, in the order of the ids.
    ///
    /// The bound values are the id before the first row, and the maximum number of rows.
    static var page: StaticString { get }
    /// The table of the records.
    static var table: MovedTable { get }

    /// Reads a row of `page`.
    init(_ row: Row) throws

    /// The id of a user that is created with it unless it exists; nil if it belongs to no user.
    var requiredUserID: Int64? { get }

    /// Whether `obstacle` looks at the database, so that one record is stored at a time.
    static var needsLook: Bool { get }
    /// Returns the result if it can't be stored for a reason other than its own id.
    func obstacle(on connection: BlockingConnection) throws -> ImportResult?

    /// A statement that stores the record and returns its id; no row if its id is taken.
    var insertion: Command { get }
}

extension TransferRow {
    var requiredUserID: Int64? { nil }

    static var needsLook: Bool { false }

    func obstacle(on connection: BlockingConnection) throws -> ImportResult? { nil }
}

extension EventRecord: TransferRow {
    static let page = ExportStatements.events
    static let table = MovedTable.events

    init(_ row: Row) throws {
        let event = try Event(row)
        self.init(id: event.id, ownerID: event.ownerID, attributes: event.attributes)
    }

    var requiredUserID: Int64? { ownerID }

    var insertion: Command {
        Command(
            write: ImportStatements.event,
            together: ImportStatements.events,
            [.bigint(id), .bigint(ownerID)] + attributes.values + [
                .bigint(Timestamp.now().milliseconds)
            ]
        )
    }
}

extension AttendanceRecord: TransferRow {
    static let needsLook = true
    static let page = ExportStatements.attendances
    static let table = MovedTable.attendances

    init(_ row: Row) throws {
        self.init(
            id: try row.bigint(0),
            eventID: try row.bigint(1),
            userID: try row.bigint(2)
        )
    }

    var requiredUserID: Int64? { userID }

    func obstacle(on connection: BlockingConnection) throws -> ImportResult? {
        guard ImportResult.allows(eventID) else { return .idIsOutOfRange }
        let rows = try connection.perform(
            Command(
                ImportStatements.attendanceObstacles,
                [.bigint(eventID), .bigint(userID)]
            )
        )
        for row in rows {
            guard try row.boolean(0) else {
                return .refused(reason: "there is no event \(eventID)")
            }
            if try row.boolean(1) {
                return .refused(reason: "user \(userID) attends event \(eventID) already")
            }
        }
        return nil
    }

    var insertion: Command {
        Command(
            ImportStatements.attendance,
            [
                .bigint(id),
                .bigint(userID),
                .bigint(eventID),
                .bigint(Timestamp.now().milliseconds),
            ]
        )
    }
}

extension TodoTaskRecord: TransferRow {
    static let page = ExportStatements.todoTasks
    static let table = MovedTable.todoTasks

    init(_ row: Row) throws {
        self.init(
            id: try row.bigint(0),
            email: EmailAddress(stored: try row.text(1)),
            title: try row.text(2),
            isCompleted: try row.boolean(3),
            createdAt: Timestamp(milliseconds: try row.bigint(4)),
            updatedAt: Timestamp(milliseconds: try row.bigint(5))
        )
    }

    var insertion: Command {
        let texts = email.storedTexts
        return Command(
            ImportStatements.todoTask,
            [
                .bigint(id),
                texts.first,
                texts.second,
                .text(email.text),
                .text(title),
                .boolean(isCompleted),
                .bigint(createdAt.milliseconds),
                .bigint(updatedAt.milliseconds),
                .bigint(Timestamp.now().milliseconds),
            ]
        )
    }
}

extension SharedTaskRecord: TransferRow {
    static let page = ExportStatements.sharedTasks
    static let table = MovedTable.sharedTasks

    init(_ row: Row) throws {
        self.init(
            id: try row.bigint(0),
            task: SharedTask(taskID: try row.bigint(1), name: try row.text(2)),
            isCompleted: try row.boolean(3)
        )
    }

    var insertion: Command {
        Command(
            ImportStatements.sharedTask,
            [
                .bigint(id),
                .bigint(task.taskID),
                .text(task.name),
                .boolean(isCompleted),
                .bigint(Timestamp.now().milliseconds),
            ]
        )
    }
}

extension CheckinRecord: TransferRow {
    static let page = ExportStatements.checkins
    static let table = MovedTable.checkins

    init(_ row: Row) throws {
        let stored = try StoredCheckin(row)
        self.init(id: stored.id, checkin: stored.checkin)
    }

    var insertion: Command {
        Command(ImportStatements.checkin, [.bigint(id)] + checkin.values)
    }
}
