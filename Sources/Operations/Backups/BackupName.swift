package import Time

/// The file names of scheduled backups, such as `humon-20261121T030000Z.sqlite3`.
///
/// Files with other names are never treated as scheduled backups.
package enum BackupName {
    private static let prefix = "humon-"
    private static let suffix = "Z.sqlite3"

    /// Returns the name of a backup that starts at this time.
    package static func name(at instant: Timestamp) -> String {
        prefix + compactText(of: instant) + suffix
    }

    /// Returns the time in a name, or nil if it is not the name of a scheduled backup.
    package static func instant(of name: String) -> Timestamp? {
        let digits = name.utf8.dropFirst(prefix.utf8.count).prefix(15)
        guard digits.count == 15, let text = String(digits), let instant = instant(compact: text),
            Self.name(at: instant) == name
        else { return nil }
        return instant
    }

    /// Returns a time without its separators, to the second: `20261121T030000`.
    package static func compactText(of instant: Timestamp) -> String {
        String(instant.text.prefix(19).filter { $0 != "-" && $0 != ":" })
    }

    private static func instant(compact text: String) -> Timestamp? {
        var separated = ""
        for (index, character) in text.enumerated() {
            switch index {
            case 4, 6: separated += "-"
            case 11, 13: separated += ":"
            default: break
            }
            separated.append(character)
        }
        return Timestamp(parsing: separated + "Z")
    }
}
