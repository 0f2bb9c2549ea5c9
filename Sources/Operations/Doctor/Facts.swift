package import Model
package import Settings
package import SignIn
package import Time

/// The facts from which `humon doctor` derives its findings.
///
/// A value that the system doesn't report is nil, and leads to no finding.
package struct Facts: Sendable {
    package var configuration: Configuration
    /// The names of the settings that were given and have no effect.
    package var ineffectiveSettings: [String] = []
    /// The values of environment variables that are not meant for Humon.
    package var strayValues: [StrayValue] = []
    /// The names of settings of the version before that were given.
    package var formerSettings: [String] = []
    /// The database's file and its folder.
    package var database = Database()
    /// The facts that the engine knows about the database.
    package var storage = StorageFacts()
    package var files: [File] = []
    /// The key files of AUTH_ISSUERS that exist, which other users must not change.
    package var keyFiles: [File] = []
    /// The file with the database's password, if it exists.
    package var passwordFile: File?
    package var machine = Host()
    /// The ports that the server listens on, each with its state.
    package var ports: [Port] = []
    package var backups = Backups()
    /// The keys of the issuers, which were fetched just now; nil if a library is missing.
    package var keys: [KeyStatus]? = []
    /// Why scheduled backups can't be written to their folder.
    package var backupFolderFault: String?
    package var now: Timestamp

    /// Creates facts with this configuration and time, and default values for the rest.
    package init(_ configuration: Configuration, now: Timestamp) {
        self.configuration = configuration
        self.now = now
    }

    /// Whether the database is on a server of its own, and not in a file.
    var isOnServer: Bool { configuration.postgresqlURL != nil }

    /// The database's file and its folder.
    package struct Database: Sendable {
        package var isPresent = false
        package var bytes = 0
        /// The number of hard links to the file.
        package var linkCount = 1
        package var isOwn = true
        /// Whether the database and its lock belong to the folder's owner; true if that is root.
        package var isOfFolder = true
        package var folderIsWritable = true
        package var folderIsOpenToAll = false
        /// The type of the file system (`f_type` of statfs(2)).
        package var filesystem: Int?
        package var freeBytes: Int?
    }

    /// The scheduled backups.
    package struct Backups: Sendable {
        /// The start time of the latest backup; nil without backups.
        package var latest: Timestamp?
        /// How many have a date in the future.
        package var futureCount = 0
        /// The faults of the backups that were checked.
        package var faults: [String] = []
    }

    /// A file that other users must not read or change.
    package struct File: Sendable {
        package var path: String
        /// The permission bits.
        package var mode: UInt32
    }

    /// The machine and the process.
    package struct Host: Sendable {
        package var memoryBytes: Int?
        /// The greatest number of file descriptors that the process can have.
        package var descriptors: Int?
        /// Whether the clock is synchronised with another one.
        package var clockIsSynchronised: Bool?
    }

    /// A port of the server.
    package struct Port: Sendable {
        package enum State: Equatable, Sendable {
            case free, taken
            /// The server can't listen on it, for this reason.
            case refused(String)
        }

        /// The setting that contains the port.
        package var setting: String
        package var host: String
        package var number: UInt16
        package var state: State
    }
}
