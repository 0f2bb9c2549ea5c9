package import Model

/// What the program is asked to do.
package enum Command: Equatable, Sendable {
    case serve
    case migrate(showsStatus: Bool)
    case routes
    case importRecords(RecordKind, path: String, format: RecordFormat, ImportOptions)
    /// Without a path to standard output.
    case exportRecords(RecordKind, path: String?, format: RecordFormat)
    /// Where there are demo records, only if repeated.
    case seed(isRepeated: Bool)
    /// To this file.
    case backup(path: String)
    /// Checks this file.
    case verifyBackup(path: String)
    /// From this file.
    case restore(path: String)
    /// A full check reads every page and index of the database.
    case doctor(isFull: Bool)
    case revokeToken(userID: Int64)
    case listAccounts
    /// Of the account with this address; it gets a random password, which is shown once.
    case resetPassword(EmailAddress)
    /// Ends all sessions of the account with this address.
    case signOut(EmailAddress)
    case config
    /// Serves a database of its own for the tests of an app.
    case testServer(isSeeded: Bool)
    /// Describes every setting.
    case settings(SettingsReference.Format)
    /// Lines to paste that try the server out.
    case examples
    case version
    /// Help on a command or on `settings`; without a topic on everything.
    case help(topic: String?)
}

/// A form that records are imported from and exported to.
package enum RecordFormat: String, CaseIterable, Sendable {
    case ndjson, csv, geojson

    /// What its records are counted by in messages.
    var unit: String { self == .geojson ? "feature" : "line" }

    /// The format that the end of a file's name tells; nil if it tells none.
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
