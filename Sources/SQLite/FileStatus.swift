import CLinux
import Glibc

/// The identity and size of a file, and on request the time of its last change (statx(2)).
///
/// Since Linux 6.13, reading a file's times makes the next write update them
/// (<https://docs.kernel.org/filesystems/multigrain-ts.html>). Reading those of the WAL before each
/// commit, as stat(2) does, made commits a third slower.
struct FileStatus {
    /// The identity of the file.
    let identity: FileIdentity
    /// Its size in bytes.
    let byteCount: Int
    /// The nanoseconds of the last change after `changeSeconds`; 0 unless requested.
    let changeNanoseconds: UInt32
    /// The time of the last change, in seconds since 1970; 0 unless requested.
    let changeSeconds: Int64

    /// Reads the status of a file, following links; nil, with `errno`, if that fails.
    init?(_ path: String, withChangeTime: Bool = false) {
        self.init(AT_FDCWD, path, 0, withChangeTime)
    }

    /// Reads the status of an open file; nil, with `errno`, if that fails.
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
