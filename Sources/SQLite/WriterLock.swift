import Glibc
import Metrics

/// Keeps write transactions and checkpoints of several processes apart.
///
/// SQLite allows a checkpoint beside a commit, but before 3.51.3 the two may corrupt the database
/// if the WAL is reset meanwhile (<https://sqlite.org/wal.html>, "The WAL-Reset Bug"). So each of
/// them is made under a lock on a file of its own, `<database>-lock`, which the system releases
/// even if the process is killed.
///
/// Whoever has a `WriterLock` is known to have the database open for as long as it lives, whether
/// it writes or not: it shares the first byte of that file, which a restore wants for itself. The
/// file also says which database that is, by device and inode, so that another process notices if
/// the path leads to another one by then.
final class WriterLock {
    /// For whom the database is to be open.
    enum Presence {
        /// With others.
        case shared
        /// For nobody else.
        case alone
    }

    private let descriptor: Int32
    private let path: String
    private let database: String
    private let timeoutMilliseconds: Int64

    /// Opens the lock file of a database, and makes it if there is none.
    ///
    /// - Throws: `SQLiteError`, with `.busy` if somebody is alone with the database and stays so
    ///   for the configuration's time; or, if this one wants to be, if there is anybody at all.
    init(
        _ configuration: DatabaseConfiguration,
        _ presence: Presence = .shared
    ) throws(SQLiteError) {
        database = try DatabaseFile.checkedPath(configuration.path)
        try DatabaseFile.checkPlace(database)
        path = database + "-lock"
        timeoutMilliseconds = Int64(configuration.busyTimeoutMilliseconds)
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            // The person who reads this knows the database, and not the file beside it.
            throw DatabaseFile.systemError("cannot open the database \(configuration.path)")
        }
        try enter(presence)
    }

    /// Whether anybody has a lock of this database; nothing is changed.
    static func isHeld(_ path: String) -> Bool {
        guard let path = try? DatabaseFile.checkedPath(path) else { return false }
        let descriptor = unsafe open(path + "-lock", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return FileLock.isHeld(of: descriptor)
    }

    /// Whether those who have a lock of this database have another file open than the one at the
    /// path, or than none; nothing is changed.
    static func isHeldForAnotherFile(_ path: String) -> Bool {
        guard let path = try? DatabaseFile.checkedPath(path) else { return false }
        let descriptor = unsafe open(path + "-lock", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard FileLock.isHeld(of: descriptor), let claimed = claimedFile(descriptor) else {
            return false
        }
        return claimed != FileIdentity(path)
    }

    /// Notes which file is at the path, for others to see.
    ///
    /// Only under the lock.
    ///
    /// - Throws: `SQLiteError` if another process has another file open by that path, to whose WAL
    ///   this one would do harm.
    func claim() throws(SQLiteError) {
        let found = FileIdentity(database)
        if FileLock.isHeld(of: descriptor) {
            guard let claimed = Self.claimedFile(descriptor), claimed != found else { return }
            throw Self.heldForAnotherFile(database)
        }
        guard let found else { return }
        // Where there is no room for it nobody can compare, and all else works.
        let text = Array((found.text + "\n").utf8)
        let written = unsafe pwrite(descriptor, text, text.count, 0)
        ftruncate(descriptor, written == text.count ? text.count : 0)
    }

    static func heldForAnotherFile(_ path: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: """
                the server has another file open than "\(path)", which was moved, deleted or \
                replaced. Put it back, or stop the server first
                """
        )
    }

    private static func claimedFile(_ descriptor: Int32) -> FileIdentity? {
        let text = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard text.last == UInt8(ascii: "\n") else { return nil }
        return FileIdentity(Substring(decoding: text.dropLast(), as: UTF8.self))
    }

    deinit {
        close(descriptor)
    }

    /// Runs `body` while no other process writes or checkpoints; throws `.busy` if another one
    /// does not end in time.
    func withLock<T>(_ body: () throws -> T) throws -> T {
        try acquire()
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }

    private func enter(_ presence: Presence) throws(SQLiteError) {
        switch presence {
        case .alone:
            if try FileLock.acquire(.exclusive, of: descriptor) { return }
            throw SQLiteError(code: .busy, message: "another process has it open")
        case .shared:
            try retry(otherwise: "it is being restored") { () throws(SQLiteError) in
                try FileLock.acquire(.shared, of: descriptor)
            }
        }
    }

    private func acquire() throws(SQLiteError) {
        try retry(otherwise: "another process is writing") { () throws(SQLiteError) in
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            if errno == EWOULDBLOCK || errno == EINTR { return false }
            throw DatabaseFile.systemError("cannot lock \(path)")
        }
    }

    /// Tries until it succeeds; throws `.busy` with the reason when the time is over.
    private func retry(
        otherwise reason: String,
        _ attempt: () throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        let deadline = MonotonicClock.milliseconds() + timeoutMilliseconds
        while try !attempt() {
            guard MonotonicClock.milliseconds() < deadline else {
                throw SQLiteError(code: .busy, message: reason)
            }
            usleep(1000)
        }
    }
}
