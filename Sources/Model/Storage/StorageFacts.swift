package import Time

/// The facts about a database from which `humon doctor` derives its findings.
package struct StorageFacts: Sendable {
    /// The engine and its version, such as `SQLite 3.40.1`.
    package var engineVersion = ""
    /// Whether a server or command has the database open.
    package var isServed = false
    /// The database or one of its files, if a running process has another file open.
    ///
    /// The content of the database is not checked then.
    package var lostFile: LostFile?
    /// The path of the file in which passwords are looked up; it need not exist.
    package var passwordFile: String?
    /// Why the database can't be opened.
    package var openError: String?
    /// The faults that the engine's checks have found.
    package var faults: [String] = []
    /// Whether everything was checked.
    package var isFullyChecked = false
    /// Whether the database is in the engine's journal mode for servers.
    package var isInWALMode = true
    package var pendingMigrations: [String] = []
    /// The time of the oldest open report of a user; nil without one.
    package var oldestReport: Timestamp?
    /// The state of each webhook: active, disabled, or lost if changes were deleted before they
    /// were sent.
    package var webhooks: [(id: Int64, state: String)] = []
    /// Why the migrations in the database can't be those of this program.
    package var migrationError: String?
    /// The tables, indexes, views and triggers that are missing or differ from the migrations.
    ///
    /// Also contains the row of the table `installation` if it is missing.
    package var missingObjects: [String] = []
    /// The tables, indexes, views and triggers that no migration has created.
    package var extraObjects: [String] = []
    /// Values of events that other programs have stored, as clauses: some of those that Humon would
    /// not store.
    package var unusualValues: [String] = []
    /// Whether all writes are rejected, because the records are being moved or were moved.
    package var isClosed = false
    /// The number of events; nil if it is unknown.
    package var eventCount: Int?
    /// The creation time of the latest record.
    package var latestRecord: Timestamp?
    /// The server of the database; nil if the database is a file, or can't be opened.
    package var server: ServerFacts?

    package init() {}

    /// A file of the database that was moved, deleted or replaced while a process has it open.
    package struct LostFile: Equatable, Sendable {
        package let path: String
        /// Whether it is the database, and not a file beside it.
        package let isDatabase: Bool

        package init(path: String, isDatabase: Bool) {
            self.path = path
            self.isDatabase = isDatabase
        }
    }
}
