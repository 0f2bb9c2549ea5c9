package import Addresses
package import HTTP
package import Logging
package import Model
package import RateLimiting
package import SQLite

/// Everything that can be set, as checked values; the properties' initial values are the defaults.
package struct Configuration: Equatable, Sendable {
    /// An IPv4 or IPv6 address, or `localhost`.
    package var host = "127.0.0.1"
    /// 0 lets the system choose a free one.
    package var port: UInt16 = 3000
    /// The port for those who look after the server, on the loopback address; nil for none.
    package var adminPort: UInt16? = 3001
    /// Path of the database's file, relative to the working directory unless it begins with `/`.
    package var databasePath = "humon.sqlite3"
    /// Any of these lets an app create users; none by default.
    package var appSecrets: [String] = []
    /// Whether a request without a secret but with a UUID as device token may create a user.
    package var allowsLegacySignUp = false
    package var systems = Set(System.allCases)
    /// Whether what one client may ask for is limited.
    package var limitsRates = true
    package var rateLimits = RateLimits()
    /// Proxies that are believed when they say whom they ask for; by default those on this machine.
    package var trustedProxies = ["127.0.0.1", "::1"].compactMap(IPNetwork.init)
    /// Origins of web pages that may read answers.
    package var crossOrigins: [String] = []
    /// Event loops, one thread each.
    package var workers: Int
    package var synchronous = DatabaseConfiguration.Synchronous.full
    package var backupSchedule = BackupSchedule.off
    /// Where scheduled backups are kept; see `backupFolder`.
    package var backupDirectory = "backups"
    /// How many scheduled backups are kept.
    package var keptBackups = 7
    package var logLevel = LogLevel.info
    package var logFormat: LogFormat
    /// A request that takes so long is logged with what it was waiting for, in ms.
    package var slowMilliseconds = 1000
    /// Bytes of log lines that may wait to be written.
    package var logBufferBytes = Logger.defaultBufferBytes
    package var limits = Limits()

    /// The defaults on a machine with this many cores, logging to a terminal or elsewhere.
    package init(coreCount: Int, isTerminal: Bool) {
        workers = coreCount
        logFormat = isTerminal ? .text : .json
    }

    /// The path of the folder with the scheduled backups: a relative one begins at the folder of
    /// the database.
    package var backupFolder: String {
        let path = FilePath.path(backupDirectory, in: FilePath.folder(of: databasePath))
        return FilePath.withoutTrailingSlashes(path)
    }
}
