extension Settings {
    /// When and where backups are made by themselves.
    static let backups: [Setting] = [
        Setting(
            "BACKUP_SCHEDULE",
            "When the server backs its database up: at a time of day in UTC, or regularly.",
            allowed: "off, a time such as 03:00, or an interval from 1m to 720h such as 30m or 6h",
            default: "off",
            text: { $0.backupSchedule.text },
            store: { text, configuration in
                guard let schedule = BackupSchedule(text) else { return false }
                configuration.backupSchedule = schedule
                return true
            }
        ),
        Setting(
            "BACKUP_DIRECTORY",
            "The folder of these backups; a relative path begins at the database's folder.",
            allowed: "the path of a folder",
            default: "backups",
            text: { $0.backupDirectory },
            store: { text, configuration in
                guard !text.isEmpty, !text.utf8.contains(0) else { return false }
                configuration.backupDirectory = text
                return true
            }
        ),
        .integer(
            "BACKUP_KEEP",
            "How many of these backups are kept; older ones are deleted.",
            in: 1...10_000,
            default: "7",
            \.keptBackups
        ),
    ]
}
