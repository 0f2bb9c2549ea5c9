extension Setting {
    /// When and where the server makes backups.
    static let backups: [Setting] = [
        Setting(
            "BACKUP_SCHEDULE",
            "When the server backs up its database: daily at a time in UTC, or at an interval.",
            details: "Intervals are counted from midnight UTC of 1 January 1970.",
            allowed: "off, a time such as 03:00, or an interval from 1m to 720h such as 30m or 6h",
            \.backupSchedule,
            text: { $0.text },
            parse: { BackupSchedule($0) }
        ),
        Setting(
            "BACKUP_DIRECTORY",
            "The folder for scheduled backups, and for those before upgrades.",
            details: """
                A relative path starts at the database's folder. If the folder doesn't exist, the \
                server creates it with mode 0700.
                """,
            allowed: "the path of a folder",
            \.backupDirectory,
            text: { $0 },
            parse: { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
        ),
        .integer(
            "BACKUP_KEEP",
            "The number of scheduled backups to keep.",
            details: """
                When a new backup has been verified, the server deletes the oldest ones beyond \
                this number. It never deletes other files.
                """,
            in: 1...10_000,
            \.keptBackups
        ),
        .onOff(
            "BACKUP_BEFORE_MIGRATION",
            "Whether Humon makes a backup before an upgrade changes a SQLite database.",
            details: """
                The file is before-VERSION.sqlite3 in BACKUP_DIRECTORY. VERSION is that of the \
                new program. Humon never deletes it.
                """,
            \.backsUpBeforeMigrations
        ),
    ]
}
