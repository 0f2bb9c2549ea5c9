import Glibc
import System

/// Serialises write transactions and checkpoints of several processes.
///
/// SQLite allows a checkpoint during a commit, but before 3.51.3 that can corrupt the database if
/// the WAL is reset at the same time (<https://sqlite.org/wal.html>, "The WAL-Reset Bug").
/// Therefore each of them holds a lock on a separate file, `<database>-lock`, which the system
/// releases even if the process is killed.
///
/// While a `WriterLock` exists, it also holds a shared lock on the first byte of that file, which a
/// restore needs exclusively. So other processes know that the database is open. The file contains
/// the identities of the open files (`FileClaim`), so that another process notices if the path
/// leads to other files.
final class WriterLock: Sendable {
    /// Who can have the database open.
    enum Presence {
        /// Several processes.
        case shared
        /// Only this process.
        case alone
    }

    private let descriptor: Int32
    private let identity: FileIdentity
    private let path: String
    private let database: String
    private let timeoutMilliseconds: Int64
    /// How many parts of this process hold the lock, which the system counts as one.
    private let holders = Mutex(0)

    /// Opens the lock file of a database, and creates it if necessary.
    ///
    /// - Throws: `SQLiteError`, with `.busy` if another process holds the database exclusively for
    ///   longer than the timeout, or if this one wants it exclusively and any other has it open.
    init(
        _ configuration: DatabaseConfiguration,
        _ presence: Presence = .shared
    ) throws(SQLiteError) {
        database = try DatabaseFile.checkedPath(configuration.path)
        try DatabaseFile.checkPlace(database)
        path = database + FileSuffix.lock
        timeoutMilliseconds = Int64(configuration.busyTimeoutMilliseconds)
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            // The operator knows the database, but not the file beside it.
            throw DatabaseFile.systemError(
                "cannot open the database \(configuration.path)",
                at: path
            )
        }
        guard let identity = FileStatus(descriptor: descriptor)?.identity else {
            let error = DatabaseFile.systemError("cannot access \(path)")
            close(descriptor)
            throw error
        }
        self.identity = identity
        try enter(presence)
    }

    /// Returns whether a process has a lock of this database, without changing anything.
    static func isHeld(_ path: String) -> Bool {
        guard let path = try? DatabaseFile.checkedPath(path) else { return false }
        let descriptor = unsafe open(path + FileSuffix.lock, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return FileLock.isHeld(of: descriptor)
    }

    /// Returns the path of a file that a process with a lock has open, but that is no longer in
    /// place.
    ///
    /// It changes nothing. It waits up to `patience` ms for processes that are just opening or
    /// closing the database.
    ///
    /// - Returns: The path where such a process has a different file open; nil if all files are in
    ///   place or no process has a lock.
    static func fileHeldElsewhere(_ path: String, patience: Int32) -> String? {
        guard let path = try? DatabaseFile.checkedPath(path) else { return nil }
        let descriptor = unsafe open(path + FileSuffix.lock, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let deadline = MonotonicClock.milliseconds() + Int64(patience)
        while let lost = FileClaim.binding(descriptor)?.lostFile(path) {
            // Without the lock, the files may have been replaced between the two checks.
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
                defer { flock(descriptor, LOCK_UN) }
                return FileClaim.binding(descriptor)?.lostFile(path)
            }
            guard MonotonicClock.milliseconds() < deadline else { return lost }
            usleep(1000)
        }
        return nil
    }

    /// Throws `SQLiteError` if processes with a lock have different files open; changes nothing.
    static func checkHolders(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        let patience = configuration.busyTimeoutMilliseconds
        if let lost = fileHeldElsewhere(configuration.path, patience: patience) {
            throw heldForAnotherFile(lost)
        }
    }

    /// Opens the database for writing, and records its files for other processes until `letGo`.
    ///
    /// Call it only under the lock.
    ///
    /// - Throws: `SQLiteError`, also if another process has different files open at that path,
    ///   which this one could damage. Nothing is opened or created then.
    func openDatabase(_ configuration: DatabaseConfiguration) throws(SQLiteError) -> Connection {
        try checkPlace()
        try check(FileClaim.binding(descriptor))
        let connection = try Connection(configuration, .readWrite)
        do throws(SQLiteError) {
            let claim = FileClaim.binding(descriptor)
            try check(claim)
            if claim == nil { connection.files?.claim.write(to: descriptor) }
            _ = try FileLock.acquire(.shared, of: descriptor, start: FileClaim.openByte)
        } catch {
            // Files of other processes have appeared or disappeared in the meantime.
            try? connection.keepWAL()
            throw error
        }
        return connection
    }

    /// Records that this process no longer needs the files that it has opened.
    ///
    /// Call it only under the lock, and before closing the connection.
    ///
    /// - Returns: Whether another process has the files open. Its connections may have failed, so
    ///   closing the last connection must not delete the WAL.
    func letGo() -> Bool {
        FileLock.release(descriptor, start: FileClaim.openByte)
        return FileLock.isHeld(of: descriptor, start: FileClaim.openByte)
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless the lock file is still at its path.
    ///
    /// Otherwise later processes lock another file, and nothing separates them from this one.
    func checkPlace() throws(SQLiteError) {
        try identity.check(isAt: path)
    }

    private func check(_ claim: FileClaim?) throws(SQLiteError) {
        if let lost = claim?.lostFile(database) { throw Self.heldForAnotherFile(lost) }
    }

    private static func heldForAnotherFile(_ path: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: """
                the server has a different file open than "\(DatabaseFile.shown(path))", which was \
                moved, deleted or replaced. Move it back, or stop the server first
                """
        )
    }

    deinit {
        FileLock.release(descriptor, count: 0)
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Runs `body` while no other process writes or checkpoints; throws `.busy` on timeout.
    func withLock<T>(_ body: () throws -> T) throws -> T {
        try acquire()
        defer { release() }
        return try body()
    }

    /// Holds the lock beyond the end of `withLock`, until `release` is called on any thread.
    ///
    /// Call it only under the lock.
    func retain() {
        holders.withLock { $0 += 1 }
    }

    /// Makes all later writes of other processes fail at once, until `acceptOthers`.
    ///
    /// - Throws: `SQLiteError.moving` if another process does the same.
    func rejectOthers() throws(SQLiteError) {
        let isFree = try FileLock.acquire(
            .exclusive,
            of: descriptor,
            start: FileClaim.moveByte
        )
        guard isFree else { throw .moving }
    }

    /// Undoes `rejectOthers`.
    func acceptOthers() {
        FileLock.release(descriptor, start: FileClaim.moveByte)
    }

    /// Releases one hold of the lock.
    func release() {
        holders.withLock { holders in
            holders -= 1
            if holders == 0 { flock(descriptor, LOCK_UN) }
        }
    }

    private func enter(_ presence: Presence) throws(SQLiteError) {
        switch presence {
        case .alone:
            guard try FileLock.acquire(.exclusive, of: descriptor) else {
                throw SQLiteError(code: .busy, message: "another process has it open")
            }
            // No process has files open, and the files may be replaced soon.
            ftruncate(descriptor, 0)
        case .shared:
            try retry(otherwise: "it is being restored") { () throws(SQLiteError) in
                try FileLock.acquire(.shared, of: descriptor)
            }
        }
    }

    private func acquire() throws(SQLiteError) {
        try retry(otherwise: "another process is writing") { () throws(SQLiteError) in
            if FileLock.isHeld(of: descriptor, start: FileClaim.moveByte) { throw .moving }
            return try holders.withLock { holders throws(SQLiteError) in
                guard holders > 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                    if errno == EWOULDBLOCK || errno == EINTR { return false }
                    throw DatabaseFile.systemError("cannot lock \(path)")
                }
                holders += 1
                return true
            }
        }
    }

    /// Retries until it succeeds; throws `.busy` with the reason on timeout.
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
