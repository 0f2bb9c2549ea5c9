import Model
import PostgreSQL
import Rules
import SharedStorage
import System
import Time

/// A record as a row of its table.
protocol TransferRow: TransferredRow {
    /// A statement that stores the record and returns its id; no row if its id is taken.
    var insertion: Command { get }
}

extension EventRecord: TransferRow {
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
    var insertion: Command {
        Command(ImportStatements.attendance, Self.table.bound(values()))
    }
}

extension TodoTaskRecord: TransferRow {
    var insertion: Command {
        let account: [Value] = [.text(email.text), .bigint(Timestamp.now().milliseconds)]
        let task = Self.table.bound(values(accountID: nil)).dropFirst(2)
        return Command(
            ImportStatements.todoTask,
            [.bigint(id)] + email.storedTexts.map(\.bound) + account + task
        )
    }
}

extension SharedTaskRecord: TransferRow {
    var insertion: Command {
        Command(ImportStatements.sharedTask, Self.table.bound(values()))
    }
}

extension CheckinRecord: TransferRow {
    var insertion: Command {
        Command(ImportStatements.checkin, Self.table.bound(values()))
    }
}
