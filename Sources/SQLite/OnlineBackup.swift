import CSQLite
import Glibc

/// Copies a database that others may be reading and writing meanwhile
/// (<https://sqlite.org/backup.html>).
///
/// The source is read in one transaction: what others commit meanwhile neither gets into the copy
/// nor lets it begin anew, as it would if each step read for itself. Until it ends the WAL can't
/// begin anew either, so that it grows by what is written meanwhile.
package struct OnlineBackup {
    /// What a copy holds.
    package struct Report: Equatable, Sendable {
        /// The size of the file.
        package let bytes: Int
        /// Its records.
        package let rows: Int64
    }

    /// What is being done for a copy.
    package enum Stage: Equatable, Sendable {
        /// So many pages of `total` are copied.
        case copying(pages: Int, total: Int)
        /// All pages are copied, and are being checked.
        case verifying
    }

    /// The pages of one step.
    private static let pagesAtOnce: Int32 = 256

    private let source: DatabaseConfiguration
    private let cancellation: Cancellation

    /// A backup of this database, which must be there and in WAL mode.
    package init(of source: DatabaseConfiguration, cancellation: Cancellation = Cancellation()) {
        self.source = source
        self.cancellation = cancellation
    }

    /// Writes what is committed when it begins to an existing, empty file, and then checks that the
    /// file is sound and has each table with all its rows; it is one file, without a WAL.
    ///
    /// Nothing is synced. O(size of the database).
    ///
    /// - Parameters:
    ///   - path: The empty file.
    ///   - progress: Called after each step, and before the check.
    /// - Returns: What the copy holds.
    /// - Throws: `SQLiteError`, `BackupError` if the copy is not sound, `CancellationError`, and
    ///   what `progress` throws.
    package func write(
        to path: String,
        progress: (Stage) throws -> Void = { _ in }
    ) throws -> Report {
        let tables = try copy(to: path) { pages, total in
            try progress(.copying(pages: pages, total: total))
        }
        try progress(.verifying)
        let written = DatabaseConfiguration(path: path)
        let connection = try Connection(written, .standalone)
        var faults = try connection.faults(.full, cancellation: cancellation)
        if faults.isEmpty {
            let found = try connection.tableCounts(cancellation: cancellation)
            if found != tables { faults = ["its tables have not the rows of the original"] }
        }
        guard faults.isEmpty else { throw BackupError(faults: faults) }
        return Report(
            bytes: DatabaseFile.size(path) ?? 0,
            rows: tables.reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        )
    }

    /// Copies all pages and returns the tables of the original.
    private func copy(
        to copyPath: String,
        _ progress: (Int, Int) throws -> Void
    ) throws -> [TableCount] {
        try DatabaseSnapshot.read(source) { original in
            try copy(original, to: copyPath, progress)
        }
    }

    /// Copies all pages that this connection sees and returns their tables.
    private func copy(
        _ original: Connection,
        to path: String,
        _ progress: (Int, Int) throws -> Void
    ) throws -> [TableCount] {
        let tables = try original.tableCounts(cancellation: cancellation)
        // A copy that is not finished is thrown away, so that it needs neither journal nor sync.
        let copy = try Handle(path: DatabaseFile.checkedPath(path))
        for pragma in ["locking_mode = EXCLUSIVE", "journal_mode = OFF", "synchronous = OFF"] {
            let statement = try Statement("PRAGMA \(pragma)", isPersistent: false, handle: copy)
            while try statement.step() {}
        }
        guard
            let backup = unsafe sqlite3_backup_init(
                copy.pointer,
                "main",
                original.handle.pointer,
                "main"
            )
        else {
            throw copy.latestError(unsafe sqlite3_errcode(copy.pointer))
        }
        var code = SQLITE_OK
        do {
            while code == SQLITE_OK {
                try cancellation.check()
                code = unsafe sqlite3_backup_step(backup, Self.pagesAtOnce)
                let total = Int(unsafe sqlite3_backup_pagecount(backup))
                try progress(total - Int(unsafe sqlite3_backup_remaining(backup)), total)
            }
        } catch {
            unsafe sqlite3_backup_finish(backup)
            throw error
        }
        // Of what a step failed of, it repeats all but that something was busy.
        let outcome = unsafe sqlite3_backup_finish(backup)
        try copy.check(outcome)
        try copy.check(code == SQLITE_DONE ? SQLITE_OK : code)
        return tables
    }
}

/// Why a copy that was made can't be relied on.
package struct BackupError: Error, Equatable {
    /// In SQLite's words.
    package let faults: [String]

    package init(faults: [String]) {
        self.faults = faults
    }
}
