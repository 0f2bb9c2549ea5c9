package import Model

/// A command with its arguments.
package enum Command: Equatable, Sendable {
    case serve
    case migrate(showsStatus: Bool)
    case routes
    case importRecords(RecordKind, path: String, format: RecordFormat, ImportOptions)
    /// A nil path is standard output.
    case exportRecords(RecordKind, path: String?, format: RecordFormat)
    /// If the database has demo records, only if repeated.
    case seed(isRepeated: Bool)
    /// Writes a backup to this file.
    case backup(path: String)
    /// Checks this backup.
    case verifyBackup(path: String)
    /// Restores this backup.
    case restore(path: String)
    /// A full check reads every page and index of the database.
    case doctor(isFull: Bool)
    case revokeToken(userID: Int64)
    case listAccounts
    /// Sets a random password for this account and prints it once.
    case resetPassword(EmailAddress)
    /// Ends all sessions of the account with this address.
    case signOut(EmailAddress)
    case config
    /// Serves a new database for the tests of an app.
    case testServer(isSeeded: Bool)
    /// Describes all settings.
    case settings(SettingsReference.Format)
    /// Prints curl commands for a first try.
    case examples
    case version
    /// Prints help on a command or on `settings`, or an overview without a topic.
    case help(topic: String?)
}

/// A file format of imports and exports.
package enum RecordFormat: String, CaseIterable, Sendable {
    case ndjson, csv, geojson

    /// The unit that messages count in.
    var unit: String { self == .geojson ? "feature" : "line" }

    /// Returns the format for a path's extension, or nil if the extension is unknown.
    package init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        switch path[path.index(after: dot)...].lowercased() {
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "geojson": self = .geojson
        default: return nil
        }
    }
}
