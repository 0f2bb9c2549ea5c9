import Glibc

/// Keeps write transactions and checkpoints of several processes apart.
///
/// SQLite allows a checkpoint beside a commit, but before 3.51.3 the two may corrupt the database
/// if the WAL is reset meanwhile (<https://sqlite.org/wal.html>, "The WAL-Reset Bug"). So each of
/// them is made under a lock on a file of its own, `<database>-lock`, which the system releases
/// even if the process is killed.
final class WriterLock {
    private let descriptor: Int32
    private let path: String
    private let timeoutMilliseconds: Int64

    /// Opens the lock file of a database, and makes it if there is none.
    init(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        path = try DatabaseFile.checkedPath(configuration.path) + "-lock"
        timeoutMilliseconds = Int64(configuration.busyTimeoutMilliseconds)
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            // The person who reads this knows the database, and not the file beside it.
            throw DatabaseFile.systemError("cannot open the database \(configuration.path)")
        }
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

    private func acquire() throws(SQLiteError) {
        let deadline = Clock.milliseconds + timeoutMilliseconds
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw DatabaseFile.systemError("cannot lock \(path)")
            }
            guard Clock.milliseconds < deadline else {
                throw SQLiteError(code: .busy, message: "another process is writing")
            }
            usleep(1000)
        }
    }
}
