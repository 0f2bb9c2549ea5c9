package import HTTP
package import Logging
package import Model
package import Rules
package import SignIn
package import Sodium
import System

/// The values of all settings; the initial values are the defaults.
package struct Configuration: Equatable, Sendable {
    /// An IPv4 or IPv6 address, or `localhost`.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose one.
    package var port: UInt16 = 3000
    /// The port for health checks and metrics; nil if it is off.
    package var adminPort: UInt16? = 3001
    /// The address of `adminPort`: an IPv4 or IPv6 address, or `localhost`.
    package var adminHost = "127.0.0.1"
    /// The host names of the admin page behind a proxy, in lower case.
    package var adminHosts: [String] = []
    /// The user to change to if the program is started as root; nil to stay root.
    package var runAs: ProcessUser?
    /// The path of the database, relative to the working directory unless it begins with `/`.
    package var databasePath = "humon.sqlite3"
    /// The URL of a PostgreSQL database, with its secrets; nil if the database is a file.
    package var postgresqlURL: String?
    /// The number of connections of each loop for reads.
    package var postgresqlReaders = 2
    /// The longest time that a statement may take, in ms.
    package var postgresqlTimeoutMilliseconds = 5000
    /// Whether statements are prepared under names.
    package var preparesStatements = true
    /// The number of servers on the database.
    package var nodes = 1
    /// The app secrets; each of them lets an app create users.
    package var appSecrets: [String] = []
    /// Whether a request without a secret, but with a UUID as device token, can create a user.
    package var allowsLegacySignUp = false
    package var systems = Set(ServedSystem.allCases)
    /// Whether rate limits apply.
    package var limitsRates = true
    package var rateLimits = RateLimits()
    /// The proxies whose forwarding headers are trusted; by default those on this machine.
    package var trustedProxies = ["127.0.0.1", "::1"].compactMap(IPNetwork.init)
    /// The issuers whose ID tokens people can sign in with.
    package var issuers: [Issuer] = []
    /// The minutes between two fetches of an issuer's keys.
    package var keyRefreshMinutes = 60
    package var streams = StreamLimits()
    /// The key of webhooks' secrets, 32 bytes; empty if it is not set.
    package var webhookKey: [UInt8] = []
    /// The maximum number of webhooks.
    package var webhooks = 16
    /// The path of the file with certificates of authorities; nil for those of the system.
    package var authoritiesPath: String?
    /// The origins whose web pages can read responses.
    package var crossOrigins: [String] = []
    /// The hours from the start of an event without an end to its end in time windows.
    package var openEndHours = 3
    /// Whether searches find events by words.
    package var searchesText = true
    /// The path of the file with blocked words, relative to the working directory unless it begins
    /// with `/`; nil without one.
    package var blockedWordsPath: String?
    /// The operator's e-mail address for users.
    package var contactEmail: String?
    /// The URL of the terms of use.
    package var termsURL: String?
    /// The name of the app, as stores list it.
    package var appName = "Humon"
    /// Whether the server has a map of events at `/map`.
    package var hasMap = true
    /// The URL template of the map's tiles with `{z}`, `{x}` and `{y}`, or nil without tiles.
    package var mapTiles: String?
    /// The attribution of the tiles.
    package var mapCredit = ""
    /// The hosts of images that the map shows, such as `*.example.com`.
    package var mapImageHosts: [String] = []
    /// The number of event loops, which have one thread each.
    package var workers: Int
    package var durability = Durability.full
    package var backupSchedule = BackupSchedule.off
    /// The folder for scheduled backups as it was set; see `backupFolder`.
    package var backupDirectory = "backups"
    /// The number of scheduled backups to keep.
    package var keptBackups = 7
    /// Whether a SQLite database is backed up before migrations.
    package var backsUpBeforeMigrations = true
    package var logLevel = LogLevel.info
    package var logFormat: LogFormat
    /// The duration from which a request is logged as slow, in ms.
    package var slowMilliseconds = 1000
    /// The size of the buffer for log lines, in bytes.
    package var logBufferBytes = Logger.defaultBufferBytes
    package var limits = Limits()
    package var apiLimits = APILimits()
    package var storageLimits = StorageLimits()
    package var hashingLimits = HashingLimits()

    /// Creates the defaults for a machine with this many cores and this memory, nil if that is
    /// unknown; logs to a terminal are text.
    package init(coreCount: Int, memoryBytes: Int? = nil, isTerminal: Bool) {
        workers = coreCount
        logFormat = isTerminal ? .text : .json
        if let memoryBytes {
            let quarter = memoryBytes / 4_000_000
            storageLimits.eventCacheMegabytes = min(quarter, storageLimits.eventCacheMegabytes)
        }
    }

    /// Returns the address at which programs on this machine reach a server that listens on `host`.
    package static func localAddress(of host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }

    /// The database as DATABASE_URL names it, with its secrets.
    var databaseURL: String {
        get { postgresqlURL ?? "sqlite:" + databasePath }
        set {
            let path = DatabaseURL.path(of: newValue)
            postgresqlURL = path == nil ? newValue : nil
            if let path { databasePath = path }
        }
    }

    /// The database for messages, without secrets: the path of its file, or its URL.
    package var databaseName: String { postgresqlURL.map(DatabaseURL.shown) ?? databasePath }

    /// The part of the rate limits that this server allows, if there are several.
    package var rateLimitsOfNode: RateLimits { rateLimits.divided(by: nodes) }

    /// The path of the folder with the scheduled backups.
    ///
    /// A relative `backupDirectory` starts at the database's folder.
    package var backupFolder: String {
        let path = LocalFile.path(backupDirectory, in: LocalFile.folder(of: databasePath))
        return LocalFile.withoutTrailingSlashes(path)
    }
}
