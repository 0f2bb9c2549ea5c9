import Model
import PostgreSQL
import Rules
import SharedStorage
import System
import Time

/// A record as a row of its table.
protocol TransferRow: TransferRecord, TableRecord {
    /// A query for the columns that `init` reads, in the order of the ids.
    ///
    /// The bound values are the id before the first row, and the maximum number of rows.
    static var page: SQL { get }

    /// Whether `obstacle` looks at the database, so that one record is stored at a time.
    static var needsLook: Bool { get }
    /// Returns the result if it can't be stored for a reason other than its own id.
    func obstacle(on connection: BlockingConnection) throws -> ImportResult?

    /// The note of the new record; nil if the log has no such records.
    var note: [Value]? { get }

    /// A statement that stores the record and returns its id; no row if its id is taken.
    var insertion: Command { get }
}

extension TransferRow {
    var note: [Value]? { nil }

    static var needsLook: Bool { false }

    func obstacle(on connection: BlockingConnection) throws -> ImportResult? { nil }
}

extension EventRecord: TransferRow {
    static let page = ExportStatements.events

    var note: [Value]? { ChangeNote.newEvent(of: ownerID) }

    var insertion: Command {
        Command(
            write: ImportStatements.event,
            together: ImportStatements.events,
            [.bigint(id), .bigint(ownerID)]
                + attributes.bound(
                    for: Array(ImportStatements.imported.dropFirst(2)),
                    hidden: hidden
                )
        )
    }
}

extension AttendanceRecord: TransferRow {
    static let needsLook = true
    static let page = ExportStatements.attendances

    var note: [Value]? { ChangeNote.attendance(of: userID, at: eventID) }

    func obstacle(on connection: BlockingConnection) throws -> ImportResult? {
        guard ImportResult.allows(eventID) else { return .idIsOutOfRange }
        let rows = try connection.perform(
            Command(ImportStatements.attendanceObstacles, [.bigint(eventID), .bigint(userID)])
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
        Command(ImportStatements.attendance, Self.table.bound(values()))
    }
}

extension TodoTaskRecord: TransferRow {
    static let page = ExportStatements.todoTasks

    var note: [Value]? { ChangeNote.task(of: nil) }

    var insertion: Command {
        let texts = email.storedTexts
        return Command(
            ImportStatements.todoTask,
            [
                .bigint(id),
                .text(texts.first),
                .text(texts.second),
                .text(email.text),
                .bigint(Timestamp.now().milliseconds),
            ] + Self.table.bound(values(accountID: nil)).dropFirst(2)
        )
    }
}

extension SharedTaskRecord: TransferRow {
    static let page = ExportStatements.sharedTasks

    var insertion: Command {
        Command(ImportStatements.sharedTask, Self.table.bound(values()))
    }
}

extension CheckinRecord: TransferRow {
    static let page = ExportStatements.checkins

    var insertion: Command {
        Command(ImportStatements.checkin, Self.table.bound(values()))
    }
}
