package import Model

/// All that `humon doctor` has found out, from which its findings follow.
///
/// A value that the system does not tell is nil, and nothing follows from it.
package struct Facts: Sendable {
    package var configuration: Configuration
    package var database: Database
    package var files: [File] = []
    package var machine = Host()
    /// The ports that are to be listened on, with what keeps the server from it.
    package var ports: [Port] = []
    /// Whether a process of this program has the database open.
    package var isServed = false
    /// The path of the database, its WAL or the WAL's index if such a process has another file open
    /// than the one there; the content of the database is not looked at then.
    package var lostFile: String?
    package var backups = Backups()
    /// Why no backup can be made in the folder of the scheduled ones.
    package var backupFolderFault: String?
    package var now: Timestamp

    /// Facts of a configuration at this time, without what is found out elsewhere.
    package init(_ configuration: Configuration, now: Timestamp) {
        self.configuration = configuration
        self.now = now
        database = Database()
    }

    /// The database and the folder it is in.
    package struct Database: Sendable {
        package var isPresent = false
        package var bytes = 0
        /// How many names the file has in its filesystem.
        package var linkCount = 1
        package var isOwn = true
        /// Whether the database and its lock belong to the folder's owner, unless that is root.
        package var isOfFolder = true
        package var folderIsWritable = true
        package var folderIsOpenToAll = false
        /// The number of the filesystem's kind (statfs(2)).
        package var filesystem: Int?
        package var freeBytes: Int?
        /// What SQLite says is wrong with it.
        package var faults: [String] = []
        /// Whether every page and index was checked.
        package var isFullyChecked = false
        package var isInWALMode = true
        package var pendingMigrations: [String] = []
        /// What is not there as its migrations have made it.
        package var missingObjects: [String] = []
        /// The tables, indexes, views and triggers that none of them has made.
        package var extraObjects: [String] = []
        /// Why its history is not this program's.
        package var migrationError: String?
        /// Why it can't be opened at all.
        package var openError: String?
        /// When the latest of its records was made.
        package var latestRecord: Timestamp?

        package init() {}
    }

    /// The scheduled backups.
    package struct Backups: Sendable {
        /// The start time of the latest backup; nil without backups.
        package var latest: Timestamp?
        /// How many are dated in the future.
        package var futureCount = 0
        /// What is wrong with those that were checked.
        package var faults: [String] = []

        package init() {}
    }

    /// A file that others must not read.
    package struct File: Sendable {
        package var path: String
        /// The nine bits of its permissions.
        package var mode: UInt32

        package init(path: String, mode: UInt32) {
            self.path = path
            self.mode = mode
        }
    }

    /// The machine and the process.
    package struct Host: Sendable {
        package var memoryBytes: Int?
        /// The most descriptors that the process may have.
        package var descriptors: Int?
        /// Whether the clock follows another one.
        package var clockIsSynchronised: Bool?
        package var sqliteVersion = ""

        package init() {}
    }

    /// A port of the server.
    package struct Port: Sendable {
        package enum State: Equatable, Sendable {
            case free, taken
            /// It can't be listened on, for this reason.
            case refused(String)
        }

        /// The setting that names it.
        package var setting: String
        package var host: String
        package var number: UInt16
        package var state: State

        package init(setting: String, host: String, number: UInt16, state: State) {
            self.setting = setting
            self.host = host
            self.number = number
            self.state = state
        }
    }
}
