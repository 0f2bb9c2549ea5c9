import CLinux
import Glibc

/// What the system says of a file: which one it is and how long, but not its times, unless they
/// are asked for (statx(2)).
///
/// Since Linux 6.13 asking for the times of a file makes the next write to it set new ones
/// (<https://docs.kernel.org/filesystems/multigrain-ts.html>): to ask for those of the WAL before
/// each commit, as stat(2) does, made the commit a third slower.
struct FileStatus {
    /// Which file it is.
    let identity: FileIdentity
    /// Its size in bytes.
    let byteCount: Int
    /// When it was last changed, in nanoseconds after `changeSeconds`; 0 unless it was asked for.
    let changeNanoseconds: UInt32
    /// When it was last changed, in seconds since 1970; 0 unless it was asked for.
    let changeSeconds: Int64

    /// The status of the file at a path, or of the one that a link there leads to; nil, with
    /// `errno`, if it can't be had.
    init?(_ path: String, withChangeTime: Bool = false) {
        self.init(AT_FDCWD, path, 0, withChangeTime)
    }

    /// The status of an open file; nil, with `errno`, if it can't be had.
    init?(descriptor: Int32) {
        self.init(descriptor, "", HUMON_AT_EMPTY_PATH, false)
    }

    private init?(_ folder: Int32, _ path: String, _ flags: Int32, _ withChangeTime: Bool) {
        var fields = UInt32(STATX_INO) | UInt32(STATX_SIZE)
        if withChangeTime { fields |= UInt32(STATX_CTIME) }
        var status = statx()
        guard unsafe statx(folder, path, flags, fields, &status) == 0 else { return nil }
        identity = FileIdentity(
            device: UInt64(gnu_dev_makedev(status.stx_dev_major, status.stx_dev_minor)),
            inode: status.stx_ino
        )
        byteCount = Int(clamping: status.stx_size)
        changeSeconds = withChangeTime ? status.stx_ctime.tv_sec : 0
        changeNanoseconds = withChangeTime ? status.stx_ctime.tv_nsec : 0
    }
}
