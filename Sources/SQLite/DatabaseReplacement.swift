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

    /// Keeps others from opening the database.
    ///
    /// - Throws: `DatabaseInUse` if another process has it open; `SQLiteError`.
    package init(_ configuration: DatabaseConfiguration) throws {
        var impatient = configuration
        impatient.busyTimeoutMilliseconds = 0
        self.configuration = impatient
        path = Self.resolved(try DatabaseFile.checkedPath(configuration.path))
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

    /// Gives the database, if there is one, a second name and lets `install` put another file in
    /// its place by rename(2), so that there is always one at the path.
    ///
    /// What its WAL holds is moved into it first. If that can't be, because it is broken, the WAL
    /// is kept beside the second name.
    ///
    /// - Returns: Whether there was a database.
    /// - Throws: `DatabaseInUse`; `SQLiteError`; what `install` throws. The database is then what
    ///   and where it was.
    package func replace(keepingOldAs aside: String, _ install: () throws -> Void) throws -> Bool {
        let isPresent = try !DatabaseFile.isEmpty(path)
        var hasWALAside = false
        var isAside = false
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
            if isPresent { try link(path, to: aside) }
            isAside = isPresent
            // A WAL belongs to the file that it was written for, and to no other.
            for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
            try install()
        } catch {
            if hasWALAside {
                // It fails where the WAL is still there.
                try? link(aside + "-wal", to: path + "-wal")
                unsafe unlink(aside + "-wal")
            }
            if isAside { unsafe unlink(aside) }
            throw error
        }
        return isPresent
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

    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
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
