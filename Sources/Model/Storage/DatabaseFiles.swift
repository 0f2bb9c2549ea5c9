import Rules

/// Files with databases: backups, and the database itself if its engine keeps it in a file.
package protocol DatabaseFiles: Sendable {
    /// The path of the database, as the settings name it.
    var path: String { get }
    /// How the files beside a database are named.
    var suffixes: DatabaseSuffixes { get }
    /// The size of a database's header, in bytes.
    var headerBytes: Int { get }
    /// Parses the header at the start of a file; nil if the file is not a database.
    func layout(ofHeader bytes: [UInt8]) -> DatabaseLayout?
    /// Throws if the path is a symbolic link whose target doesn't exist.
    func checkLink(_ path: String) throws
    /// Throws if the file is another program's database.
    ///
    /// Only for processes that don't have it open. It changes nothing.
    func checkOwner(of path: String) throws
    /// Returns whether a process of Humon has the database in this file open or reserved.
    func isInUse(_ path: String) -> Bool
    /// Returns whether migrations of Humon were applied to the database in this file.
    func hasHistory(_ path: String) throws -> Bool
    /// Returns whether this version of Humon can use the database in this file.
    func canUse(_ path: String) -> Bool
    /// Checks a database from its pages to its tables; O(size of the file).
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The path of the backup, for messages.
    ///   - isReplacement: Whether the file is about to replace the database. If not, nothing is
    ///     changed.
    /// - Returns: The number of records.
    /// - Throws: `DamagedBackup`, `NotADatabase`, `OperatorError` for tables that Humon has not
    ///   created, and the engine's errors for anything that is not the file's fault.
    func verify(_ path: String, as name: String, isReplacement: Bool) throws -> Int64
    /// Reserves the database, so that other processes can't open it while it is replaced.
    ///
    /// - Throws: `OperatorError` if the engine keeps its database elsewhere, and the engine's
    ///   errors, also if another process has it open.
    func beginReplacement() throws -> any DatabaseFileReplacement
}

/// The suffixes that the files beside a database add to its name.
package struct DatabaseSuffixes: Equatable, Sendable {
    /// Of files with changes that the database lacks, so that it is incomplete without them.
    package let changes: [String]
    /// Of the file that every process of Humon locks while it has the database open.
    package let lock: String
    /// Of all files.
    package let all: [String]

    /// Creates suffixes; `others` are those of files that can be deleted without a loss.
    package init(changes: [String], lock: String, others: [String]) {
        self.changes = changes
        self.lock = lock
        all = changes + others + [lock]
    }
}

/// The facts about a database that its header has.
package struct DatabaseLayout: Equatable, Sendable {
    /// The size of the database, in bytes; arbitrary if the header is damaged.
    package let byteCount: Int
    /// Whether a server or a command has opened the file as its database; backups never are.
    package let wasOpened: Bool

    package init(byteCount: Int, wasOpened: Bool) {
        self.byteCount = byteCount
        self.wasOpened = wasOpened
    }
}

/// A reserved database that is about to be replaced.
package protocol DatabaseFileReplacement {
    /// The path of the file, without symbolic links.
    var path: String { get }
    /// Swaps the database with a draft of the new one, or moves the draft into place if there is
    /// none.
    ///
    /// At every moment, a complete database is at the path.
    ///
    /// - Parameters:
    ///   - draft: A file in the same folder, which must be on disk.
    ///   - interim: An unused name, for the draft before the swap and the old database after it.
    ///   - aside: An unused name, the final one of the old database.
    /// - Returns: The new name of the old database, or nil if there was none.
    /// - Throws: The errors of `beginReplacement`. The database is then unchanged.
    func replace(
        with draft: String,
        through interim: String,
        keepingOldAs aside: String
    ) throws -> String?
}

/// The error for a file that is not a database, and therefore not a backup.
package struct NotADatabase: ExplainedError {
    package let path: String
    /// Whether it is a regular file.
    package let isFile: Bool

    package init(path: String, isFile: Bool) {
        self.path = path
        self.isFile = isFile
    }

    package var explanation: String {
        isFile
            ? "\"\(path)\" is not a Humon database. Name a file that `humon backup` made."
            : "\"\(path)\" is not a regular file. Name a backup."
    }
}

/// The error for a damaged backup.
package struct DamagedBackup: ExplainedError {
    package let path: String
    /// Without a full stop.
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var explanation: String {
        "\"\(path)\" is damaged: \(reason). Restore an older backup."
    }
}

/// The error for a database that is not backed up, because a restore would reject the backup.
package struct UnrestorableDatabase: ExplainedError {
    /// Why, and what to do, as sentences.
    package let explanation: String

    package init(_ explanation: String) {
        self.explanation = explanation
    }
}
