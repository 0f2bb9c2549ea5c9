import Glibc

/// Locks on bytes of an open file that belong to the descriptor: the system ends them when it is
/// closed or the process dies, and they conflict with everybody else's, also in this process
/// (fcntl(2), "Open file description locks").
enum FileLock {
    enum Kind {
        case shared, exclusive
    }

    // <asm-generic/fcntl.h>; the C library's header shows it under _GNU_SOURCE only.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Locks so many bytes from `start` on; false if somebody else has them, and throws if the
    /// system can't lock.
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

    /// Ends the locks of the descriptor on so many bytes from `start` on; zero for all from there.
    ///
    /// To close the descriptor ends them as well, unless a child of this process has a copy of it
    /// for the moment until it executes another program.
    static func release(_ descriptor: Int32, start: Int = 0, count: Int = 1) {
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = count
        while unsafe fcntl(descriptor, setLock, &lock) != 0, errno == EINTR {}
    }

    /// Whether anybody else has a lock on a byte of an open file; nothing is locked.
    static func isHeld(of descriptor: Int32, start: Int = 0) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = 1
        return unsafe fcntl(descriptor, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
