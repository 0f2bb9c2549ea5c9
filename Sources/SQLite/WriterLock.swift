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
/// file also says which files those are, by device and inode (`FileClaim`), so that another process
/// notices if the path leads to others by then.
final class WriterLock {
    /// For whom the database is to be open.
    enum Presence {
        /// With others.
        case shared
        /// For nobody else.
        case alone
    }

    private let descriptor: Int32
    private let identity: FileIdentity
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
        guard let identity = FileStatus(descriptor: descriptor)?.identity else {
            let error = DatabaseFile.systemError("cannot look at \(path)")
            close(descriptor)
            throw error
        }
        self.identity = identity
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

    /// The path of a file of this database that those who have a lock of it have open elsewhere.
    ///
    /// Nothing is changed. It waits for a process that may just be closing the database or opening
    /// it, for at most `patience` ms.
    ///
    /// - Returns: The path where they have another file open than the one there; nil if there is
    ///   none, as always if nobody has a lock.
    static func fileHeldElsewhere(_ path: String, patience: Int32) -> String? {
        guard let path = try? DatabaseFile.checkedPath(path) else { return nil }
        let descriptor = unsafe open(path + "-lock", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let deadline = MonotonicClock.milliseconds() + Int64(patience)
        while let lost = FileClaim.binding(descriptor)?.lostFile(path) {
            // Without this the files may have been made anew between two of these looks.
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
                defer { flock(descriptor, LOCK_UN) }
                return FileClaim.binding(descriptor)?.lostFile(path)
            }
            guard MonotonicClock.milliseconds() < deadline else { return lost }
            usleep(1000)
        }
        return nil
    }

    /// Throws `SQLiteError` if those who have a lock of this database have other files open than
    /// those at the path; nothing is changed.
    static func checkHolders(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        let patience = configuration.busyTimeoutMilliseconds
        if let lost = fileHeldElsewhere(configuration.path, patience: patience) {
            throw heldForAnotherFile(lost)
        }
    }

    /// Opens the database to write to it, and notes which files are open, for others to see, until
    /// `letGo`.
    ///
    /// Only under the lock.
    ///
    /// - Throws: `SQLiteError`, also if another process has other files open by that path, to which
    ///   this one would do harm. Nothing is opened or made then.
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
            // The files of others have come or gone meanwhile.
            try? connection.keepWAL()
            throw error
        }
        return connection
    }

    /// Notes that this process no longer needs the files that it has opened.
    ///
    /// Only under the lock, and before the connection is closed.
    ///
    /// - Returns: Whether another process has them open, which must find them there also where its
    ///   connections have failed: whoever closes the last connection must not delete the WAL.
    func letGo() -> Bool {
        FileLock.release(descriptor, start: FileClaim.openByte)
        return FileLock.isHeld(of: descriptor, start: FileClaim.openByte)
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless the lock file is still at its path: those who
    /// come later lock another one then, and nothing keeps them and this process apart.
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
                the server has another file open than "\(DatabaseFile.shown(path))", which was \
                moved, deleted or replaced. Put it back, or stop the server first
                """
        )
    }

    deinit {
        FileLock.release(descriptor, count: 0)
        flock(descriptor, LOCK_UN)
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
            guard try FileLock.acquire(.exclusive, of: descriptor) else {
                throw SQLiteError(code: .busy, message: "another process has it open")
            }
            // Nobody has anything open, and there may be other files soon.
            ftruncate(descriptor, 0)
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
