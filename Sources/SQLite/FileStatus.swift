import CLinux
import Glibc

/// The identity and size of a file, and optionally its change time, from statx(2).
///
/// Since Linux 6.13, after someone has read a file's times, the next write must set new ones
/// (<https://docs.kernel.org/filesystems/multigrain-ts.html>). Calling stat(2), which reads them,
/// on the WAL before each commit made commits a third slower.
struct FileStatus {
    /// Which file it is.
    let identity: FileIdentity
    /// Its size in bytes.
    let byteCount: Int
    /// The nanoseconds of the change time; 0 if it was not read.
    let changeNanoseconds: UInt32
    /// The seconds of the change time, since 1970; 0 if it was not read.
    let changeSeconds: Int64

    /// The status of the file at a path, after following links; nil if statx fails, with the
    /// reason in `errno`.
    init?(_ path: String, withChangeTime: Bool = false) {
        self.init(AT_FDCWD, path, 0, withChangeTime)
    }

    /// The status of an open file; nil if statx fails, with the reason in `errno`.
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
