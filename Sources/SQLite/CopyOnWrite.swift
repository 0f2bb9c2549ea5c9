import CLinux
import Glibc

/// What is different where the filesystem never writes over what is there (btrfs): each change
/// needs new room, and what it replaces is free only after the filesystem's own next commit.
enum CopyOnWrite {
    /// The number of the filesystem (statfs(2)).
    private static let btrfs = 0x9123_683E

    private static func applies(to system: statfs) -> Bool {
        Int(system.f_type) & 0xFFFF_FFFF == btrfs
    }

    /// Whether a file is on such a filesystem; false if it can't be known.
    static func applies(to path: String) -> Bool {
        var system = statfs()
        return unsafe statfs(path, &system) == 0 && applies(to: system)
    }

    /// Makes the empty file of a database's index, unless it is there, as one that is written to in
    /// place, which can be said of an empty file alone.
    ///
    /// Since Linux 6.16 its pages then need no new room. It never fails: without it, only less goes
    /// on while the disk is full.
    static func prepareIndex(of path: String) {
        var system = statfs()
        var database = stat()
        guard unsafe statfs(path, &system) == 0, applies(to: system),
            unsafe stat(path, &database) == 0
        else { return }
        // Nobody has a file open that is not there, so that closing it ends nobody's locks.
        let descriptor = unsafe open(path + "-shm", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // As SQLite would make it.
        fchmod(descriptor, database.st_mode & 0o777)
        if geteuid() == 0 { fchown(descriptor, database.st_uid, database.st_gid) }
        _ = humon_disable_copy_on_write(descriptor)
    }

    /// Whether so little room is left that to copy this many pages of the WAL into the database may
    /// soon be impossible, which would then also keep the WAL from getting shorter.
    ///
    /// O(1): a call of statfs(2). Only for a file on such a filesystem.
    static func isShort(_ path: String, ofRoomFor pages: Int) -> Bool {
        var system = statfs()
        guard unsafe statfs(path, &system) == 0 else { return false }
        let free = UInt64(system.f_bavail).multipliedReportingOverflow(
            by: UInt64(clamping: system.f_bsize)
        )
        let needed = UInt64(pages) * UInt64(Connection.pageBytes) * 2 + spareBytes
        return !free.overflow && free.partialValue < needed
    }

    private static let spareBytes: UInt64 = 1 << 20
}
