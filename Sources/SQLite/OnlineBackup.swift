import CSQLite
import Glibc
package import System

/// Copies a database while other processes read and write it (<https://sqlite.org/backup.html>).
///
/// The source is read in one transaction. Commits during the copy are not part of it, and they
/// don't make it start again, as they would if each step used its own transaction. The WAL can't
/// restart until the copy ends, so it grows by everything that is written in that time.
package struct OnlineBackup {
    /// The number of pages in one step.
    private static let pagesAtOnce: Int32 = 256

    private let source: DatabaseConfiguration
    private let cancellation: Cancellation

    /// Creates a backup of this database, which must exist and be in WAL mode.
    package init(of source: DatabaseConfiguration, cancellation: Cancellation = Cancellation()) {
        self.source = source
        self.cancellation = cancellation
    }

    /// Copies what is committed now to an existing, empty file, and checks the copy.
    ///
    /// The check covers the pages, and the number of rows in each table. The copy has no WAL and is
    /// not synced. O(size of the database).
    ///
    /// - Parameters:
    ///   - path: The path of the empty file.
    ///   - progress: Called after each step with the number of copied pages and that of all. When
    ///     both are equal, the check follows.
    /// - Returns: The size of the copy, and the number of Humon's records in it.
    /// - Throws: `SQLiteError`, `BackupError` if the copy is damaged, `CancellationError`, and the
    ///   errors of `progress`.
    package func write(
        to path: String,
        progress: (_ pages: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> (bytes: Int, rows: Int64) {
        let tables = try copy(to: path, progress)
        let written = DatabaseConfiguration(path: path)
        let connection = try Connection(written, .standalone)
        var faults = try connection.faults(.full, cancellation: cancellation)
        if faults.isEmpty {
            let found = try connection.tableCounts(cancellation: cancellation)
            if found != tables { faults = ["its tables don't have as many rows as the original"] }
        }
        guard faults.isEmpty else { throw BackupError(faults: faults) }
        let rows = tables.reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        return (DatabaseFile.size(path) ?? 0, rows)
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

    /// Copies all pages that this connection sees, and returns the tables.
    private func copy(
        _ original: Connection,
        to path: String,
        _ progress: (Int, Int) throws -> Void
    ) throws -> [TableCount] {
        let tables = try original.tableCounts(cancellation: cancellation)
        // An unfinished copy is discarded, so it needs neither a journal nor a sync.
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
        // It repeats the errors of the steps, except for busy ones.
        let outcome = unsafe sqlite3_backup_finish(backup)
        try copy.check(outcome)
        try copy.check(code == SQLITE_DONE ? SQLITE_OK : code)
        return tables
    }
}

/// The error for a copy that is damaged.
package struct BackupError: Error, Equatable {
    /// The damage, as SQLite describes it.
    package let faults: [String]

    package init(faults: [String]) {
        self.faults = faults
    }
}
