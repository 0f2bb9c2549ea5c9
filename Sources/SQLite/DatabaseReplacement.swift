import CLinux
import Glibc

/// Replaces a database that no other process has open.
///
/// While this object exists, no other process of Humon can open the database.
package final class DatabaseReplacement {
    /// The path of the file, without symbolic links.
    package let path: String
    private let configuration: DatabaseConfiguration
    private let lock: WriterLock

    /// The first byte that SQLite locks in a database file.
    ///
    /// Every reader and writer locks one of these bytes, in WAL mode for as long as it has the file
    /// open (<https://sqlite.org/fileformat2.html#the_lock_byte_page>).
    private static let firstLockByte = 0x4000_0000
    private static let lockByteCount = 512
    /// `RENAME_EXCHANGE` (renameat2(2)).
    private static let exchangeFlag: UInt32 = 2

    /// Reserves the database, so that other processes can't open it.
    ///
    /// - Throws: `DatabaseInUse` if another process has it open; `SQLiteError`.
    package init(_ configuration: DatabaseConfiguration) throws {
        var impatient = configuration
        impatient.busyTimeoutMilliseconds = 0
        self.configuration = impatient
        path = try DatabaseFile.checkedPath(configuration.path)
        lock = try Self.lock(configuration)
    }

    private static func lock(_ configuration: DatabaseConfiguration) throws -> WriterLock {
        do {
            return try WriterLock(configuration, .alone)
        } catch {
            if error.code.primary == .busy {
                throw DatabaseInUse(path: configuration.path, isByThisProgram: true)
            }
            throw error
        }
    }

    /// Swaps the database with a draft of the new one, or moves the draft into place if there is
    /// none.
    ///
    /// At every moment, a complete database is at the path. The content of the old WAL is first
    /// copied into the old database. If that fails because the database is damaged, the WAL is kept
    /// beside it under the new name.
    ///
    /// - Parameters:
    ///   - draft: A file in the same folder, which must be on disk.
    ///   - interim: An unused name, for the draft before the swap and the old database after it.
    ///   - aside: An unused name, the final one of the old database.
    /// - Returns: The new name of the old database, or nil if there was none.
    /// - Throws: `DatabaseInUse` and `SQLiteError`. The database is then unchanged.
    package func replace(
        with draft: String,
        through interim: String,
        keepingOldAs aside: String
    ) throws -> String? {
        let isPresent = try !DatabaseFile.isEmpty(path)
        var hasWALAside = false
        do {
            if isPresent, DatabaseFile.hasWAL(path) {
                // Opening a damaged database may delete its WAL.
                try link(path + FileSuffix.wal, to: aside + FileSuffix.wal)
                hasWALAside = true
            }
            let isWhole = isPresent ? try emptyWAL() : false
            if isWhole, hasWALAside {
                unsafe unlink(aside + FileSuffix.wal)
                hasWALAside = false
            }
            let descriptor = try lockForAll(isWhole: isWhole)
            defer { if descriptor >= 0 { close(descriptor) } }
            // A WAL must never be used with another file.
            for suffix in [FileSuffix.wal, FileSuffix.index] { unsafe unlink(path + suffix) }
            if isPresent { return try swap(draft, interim, aside) }
            try rename(draft, to: path)
            return nil
        } catch {
            if hasWALAside {
                // This fails if the WAL is still there.
                try? link(aside + FileSuffix.wal, to: path + FileSuffix.wal)
                unsafe unlink(aside + FileSuffix.wal)
            }
            throw error
        }
    }

    /// Swaps the draft and the database, and returns the old database's new name.
    private func swap(
        _ draft: String,
        _ interim: String,
        _ aside: String
    ) throws(SQLiteError) -> String {
        // The draft needs another name first. After the swap, the old database would otherwise look
        // like an abandoned draft, or before it, the draft like the old database.
        try rename(draft, to: interim)
        do throws(SQLiteError) {
            guard try exchange(interim, path) else {
                try link(path, to: aside)
                do throws(SQLiteError) {
                    try rename(interim, to: path)
                } catch {
                    unsafe unlink(aside)
                    throw error
                }
                return aside
            }
        } catch {
            unsafe unlink(interim)
            throw error
        }
        // The new database is in place, so a failure here must not be reported.
        return unsafe Glibc.rename(interim, aside) == 0 ? aside : interim
    }

    /// Swaps two files atomically; returns false if the file system can't.
    private func exchange(_ path: String, _ other: String) throws(SQLiteError) -> Bool {
        if unsafe renameat2(AT_FDCWD, path, AT_FDCWD, other, Self.exchangeFlag) == 0 { return true }
        if [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) { return false }
        throw failure("cannot swap \(path) and \(other)")
    }

    private func rename(_ path: String, to other: String) throws(SQLiteError) {
        guard unsafe Glibc.rename(path, other) == 0 else {
            throw failure("cannot rename \(path) to \(other)")
        }
    }

    /// Locks the file against all other SQLite connections, and returns the descriptor with the
    /// lock.
    private func lockForAll(isWhole: Bool) throws -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return descriptor }
            throw failure("cannot open \(path)")
        }
        do {
            let isFree = try FileLock.acquire(
                .exclusive,
                of: descriptor,
                start: Self.firstLockByte,
                count: Self.lockByteCount
            )
            // Another process may also have opened and closed it since then.
            let hasWAL = DatabaseFile.size(path + FileSuffix.wal) ?? 0 > 0
            guard isFree, !(isWhole && hasWAL) else { throw isInUse }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Copies the WAL into the database; returns false if the database is too damaged for that.
    private func emptyWAL() throws -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(configuration, .readWrite)
            try connection.checkpoint(.truncate)
            return true
        } catch {
            if error.code.primary == .busy { throw isInUse }
            if error.code.endsConnection { return false }
            throw error
        }
    }

    private func link(_ path: String, to other: String) throws(SQLiteError) {
        guard unsafe Glibc.link(path, other) == 0 else {
            throw failure("cannot link \(path) to \(other)")
        }
    }

    /// The error if another program has the database open.
    private var isInUse: DatabaseInUse {
        DatabaseInUse(path: configuration.path, isByThisProgram: false)
    }

    private func failure(_ problem: String) -> SQLiteError {
        DatabaseFile.systemError(problem)
    }
}

/// The error for a database that can't be replaced, because another process has it open.
package struct DatabaseInUse: Error, Equatable {
    /// The path of the database as it was given.
    package let path: String
    /// Whether that process is one of Humon.
    package let isByThisProgram: Bool

    package init(path: String, isByThisProgram: Bool) {
        (self.path, self.isByThisProgram) = (path, isByThisProgram)
    }
}
