import CLinux
import Glibc

/// Handles copy-on-write file systems (btrfs).
///
/// There, each change needs new space, and the space that it replaces becomes free only after the
/// file system's next commit.
enum CopyOnWrite {
    /// The type of btrfs in statfs(2).
    private static let btrfs = 0x9123_683E

    private static func applies(to system: statfs) -> Bool {
        Int(system.f_type) & 0xFFFF_FFFF == btrfs
    }

    /// Returns whether a file is on such a file system; false if that is unknown.
    static func applies(to path: String) -> Bool {
        var system = statfs()
        return unsafe statfs(path, &system) == 0 && applies(to: system)
    }

    /// Creates the empty file of a database's index without copy-on-write, unless it exists.
    ///
    /// Only an empty file can be marked that way. Since Linux 6.16, its pages then need no new
    /// space. It never fails: without it, Humon can do less on a full disk.
    static func prepareIndex(of path: String) {
        var system = statfs()
        var database = stat()
        guard unsafe statfs(path, &system) == 0, applies(to: system),
            unsafe stat(path, &database) == 0
        else { return }
        // Only a new file is opened, because closing an existing one would drop this process's
        // locks on it.
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe open(path + FileSuffix.index, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // With the mode and owner that SQLite would set.
        fchmod(descriptor, database.st_mode & 0o777)
        if geteuid() == 0 { fchown(descriptor, database.st_uid, database.st_gid) }
        _ = humon_disable_copy_on_write(descriptor)
    }

    /// Returns whether there may soon be too little space to copy this many pages of the WAL.
    ///
    /// Then the WAL could not be truncated either. O(1): one call of statfs(2). Only for files on
    /// such a file system.
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
