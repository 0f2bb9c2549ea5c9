import Glibc

/// Locks on bytes of an open file that belong to the descriptor, not to the process.
///
/// The system releases them when the descriptor is closed or the process dies. They conflict with
/// all other locks, even in the same process (fcntl(2), "Open file description locks").
enum FileLock {
    enum Kind {
        case shared, exclusive
    }

    // From <asm-generic/fcntl.h>; the C library's header defines it only with _GNU_SOURCE.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Locks a range of bytes; returns false if it is locked elsewhere, and throws if locking
    /// fails.
    static func acquire(
        _ kind: Kind,
        of descriptor: Int32,
        start: Int = 0,
        count: Int = 1
    ) throws(SQLiteError) -> Bool {
        var lock = flock()
        lock.l_type = Int16(kind == .shared ? F_RDLCK : F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = count
        while unsafe fcntl(descriptor, setLock, &lock) != 0 {
            if errno == EINTR { continue }
            if errno == EAGAIN || errno == EACCES { return false }
            throw DatabaseFile.systemError("cannot lock a file of the database")
        }
        return true
    }

    /// Releases the descriptor's locks on a range of bytes; a count of 0 means to the end.
    ///
    /// Closing the descriptor releases them as well, unless a child process has a copy of it until
    /// it executes another program.
    static func release(_ descriptor: Int32, start: Int = 0, count: Int = 1) {
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = count
        while unsafe fcntl(descriptor, setLock, &lock) != 0, errno == EINTR {}
    }

    /// Returns whether another descriptor has a lock on a byte of an open file, without locking it.
    static func isHeld(of descriptor: Int32, start: Int = 0) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = 1
        return unsafe fcntl(descriptor, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
