import Conformance
import SQLiteStorage
import StorageSupport

extension StorageFixture {
    /// All stores on this database.
    var subject: ConformanceSubject {
        ConformanceSubject(
            users: users,
            events: events,
            attendances: attendances,
            accounts: SQLiteAccountStore(database),
            todoTasks: SQLiteTodoTaskStore(database),
            sharedTasks: SQLiteSharedTaskStore(database),
            checkins: SQLiteCheckinStore(database),
            transfer: transfer
        )
    }
}
