import CLinux
import Glibc

/// Puts another file in the place of a database that nobody has open.
///
/// For as long as this lives, no other process that uses this module can open the database.
package final class DatabaseReplacement {
    /// The file itself, should the configuration name a link to it.
    package let path: String
    private let configuration: DatabaseConfiguration
    private let lock: WriterLock

    /// Where SQLite locks a database (<https://sqlite.org/fileformat2.html#the_lock_byte_page>):
    /// whoever reads or writes it has one of these bytes, in WAL mode for as long as it is open.
    private static let firstLockByte = 0x4000_0000
    private static let lockByteCount = 512
    /// `RENAME_EXCHANGE` (renameat2(2)).
    private static let exchangeFlag: UInt32 = 2

    /// Keeps others from opening the database.
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
            if error.code.primary == .busy { throw DatabaseInUse(isByThisProgram: true) }
            throw error
        }
    }

    /// Swaps the database, if there is one, with a draft of the new one, so that there is always a
    /// whole one at the path; or puts the draft there.
    ///
    /// What its WAL holds is moved into it first. If that can't be, because it is broken, the WAL
    /// is kept beside it under its new name.
    ///
    /// - Parameters:
    ///   - draft: A file in the same folder, which is on the disk.
    ///   - interim: What the draft is called until the swap, and the old database after it until
    ///     it has its own name: a free name.
    ///   - aside: What the old database is to be called: a free name.
    /// - Returns: What the old database is called now; nil if there was none.
    /// - Throws: `DatabaseInUse`; `SQLiteError`. The database is then what and where it was.
    package func replace(
        with draft: String,
        through interim: String,
        keepingOldAs aside: String
    ) throws -> String? {
        let isPresent = try !DatabaseFile.isEmpty(path)
        var hasWALAside = false
        do {
            if isPresent, DatabaseFile.hasWAL(path) {
                // Whoever opens a broken database may throw its WAL away.
                try link(path + "-wal", to: aside + "-wal")
                hasWALAside = true
            }
            let isWhole = isPresent ? try emptyWAL() : false
            if isWhole, hasWALAside {
                unsafe unlink(aside + "-wal")
                hasWALAside = false
            }
            let descriptor = try lockForAll(isWhole: isWhole)
            defer { if descriptor >= 0 { close(descriptor) } }
            // A WAL belongs to the file that it was written for, and to no other.
            for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
            if isPresent { return try swap(draft, interim, aside) }
            try rename(draft, to: path)
            return nil
        } catch {
            if hasWALAside {
                // It fails where the WAL is still there.
                try? link(aside + "-wal", to: path + "-wal")
                unsafe unlink(aside + "-wal")
            }
            throw error
        }
    }

    /// Puts the draft in the place of the database and returns what that is called then.
    private func swap(
        _ draft: String,
        _ interim: String,
        _ aside: String
    ) throws(SQLiteError) -> String {
        // Not under its own name, which would let the old database be taken for an abandoned draft;
        // nor under the last one, which would let the draft be taken for the old database.
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
        // The new database is there, so that this can't make it fail any more.
        return unsafe Glibc.rename(interim, aside) == 0 ? aside : interim
    }

    /// Swaps two files at once; false if their filesystem can't.
    private func exchange(_ path: String, _ other: String) throws(SQLiteError) -> Bool {
        if unsafe renameat2(AT_FDCWD, path, AT_FDCWD, other, Self.exchangeFlag) == 0 { return true }
        if [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) { return false }
        throw failure("cannot put \(path) in the place of \(other)")
    }

    private func rename(_ path: String, to other: String) throws(SQLiteError) {
        guard unsafe Glibc.rename(path, other) == 0 else {
            throw failure("cannot rename \(path) to \(other)")
        }
    }

    /// Locks the file, if there is one, as SQLite would to keep all others from it, and returns its
    /// descriptor, which has the lock.
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
            // Somebody may also have come and gone since.
            let hasWAL = DatabaseFile.size(path + "-wal") ?? 0 > 0
            guard isFree, !(isWhole && hasWAL) else { throw DatabaseInUse(isByThisProgram: false) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Moves the WAL into the database; false if the database is too broken for it.
    private func emptyWAL() throws -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(configuration, .readWrite)
            try connection.checkpoint(.truncate)
            return true
        } catch {
            if error.code.primary == .busy { throw DatabaseInUse(isByThisProgram: false) }
            if error.code.endsConnection { return false }
            throw error
        }
    }

    private func link(_ path: String, to other: String) throws(SQLiteError) {
        guard unsafe Glibc.link(path, other) == 0 else {
            throw failure("cannot keep \(path) as \(other)")
        }
    }

    private func failure(_ problem: String) -> SQLiteError {
        DatabaseFile.systemError(problem)
    }
}

/// Why a database can't be replaced: another process has it open.
package struct DatabaseInUse: Error, Equatable {
    /// Whether it is a process of this program.
    package let isByThisProgram: Bool

    package init(isByThisProgram: Bool) {
        self.isByThisProgram = isByThisProgram
    }
}
