package import Time

/// A setting in effect, without the value of a secret.
package struct EffectiveSetting: Sendable {
    package let name: String
    package let value: String
    /// Where the value is from, such as `default`.
    package let origin: String

    package init(name: String, value: String, origin: String) {
        self.name = name
        self.value = value
        self.origin = origin
    }
}

/// The state of the server, apart from the numbers of records.
package struct ServerOverview: Sendable {
    /// A result of a check, as `humon doctor` prints it.
    package struct Finding: Sendable {
        package let grade: String
        package let subject: String
        package let text: String
        package let advice: String

        package init(grade: String, subject: String, text: String, advice: String) {
            self.grade = grade
            self.subject = subject
            self.text = text
            self.advice = advice
        }
    }

    package let startedAt: Timestamp
    /// The sizes of the files in bytes: the database, its log of writes, and all backups.
    package let bytes: (database: Int, log: Int, backups: Int)?
    package let lastBackup: Timestamp?
    package let findings: [Finding]

    package init(
        startedAt: Timestamp,
        bytes: (database: Int, log: Int, backups: Int)?,
        lastBackup: Timestamp?,
        findings: [Finding]
    ) {
        self.startedAt = startedAt
        self.bytes = bytes
        self.lastBackup = lastBackup
        self.findings = findings
    }
}

/// The backups that the server makes.
package protocol AdminBackups: Sendable {
    /// Returns the backups, newest first; O(n).
    func list() -> [BackupSummary]
    /// Whether a backup is being made.
    var isRunning: Bool { get }
    /// Why the latest attempt failed; nil if it did not.
    var fault: String? { get }
    /// Starts a backup, and returns false if one is being made.
    ///
    /// Throws an error if its thread can't be started.
    func begin() throws -> Bool
    /// Returns the path of the backup with this name, or nil if `list` does not contain it.
    func path(of name: String) -> String?
}

/// A backup as an operator sees it.
package struct BackupSummary: Sendable {
    package let name: String
    package let bytes: Int
    package let startedAt: Timestamp
    /// Whether a digest protects it.
    package let isSealed: Bool

    package init(name: String, bytes: Int, startedAt: Timestamp, isSealed: Bool) {
        self.name = name
        self.bytes = bytes
        self.startedAt = startedAt
        self.isSealed = isSealed
    }
}
