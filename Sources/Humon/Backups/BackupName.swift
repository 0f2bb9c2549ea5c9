package import Model

/// The names of the files that the schedule makes, such as `humon-20261121T030000Z.sqlite3`; no
/// other file is ever taken for one.
package enum BackupName {
    private static let prefix = "humon-"
    private static let suffix = "Z.sqlite3"

    /// The name of a backup that begins at this instant.
    package static func name(at instant: Timestamp) -> String {
        prefix + compactText(of: instant) + suffix
    }

    /// The instant that a name tells; nil if it is not the name of a scheduled backup.
    package static func instant(of name: String) -> Timestamp? {
        let digits = name.utf8.dropFirst(prefix.utf8.count).prefix(15)
        guard digits.count == 15, let text = String(digits), let instant = instant(compact: text),
            Self.name(at: instant) == name
        else { return nil }
        return instant
    }

    /// The instant without its separators, to the second: `20261121T030000`.
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
