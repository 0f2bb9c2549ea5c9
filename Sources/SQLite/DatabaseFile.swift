import CLinux
import System
import Glibc

/// The files of a database.
package enum DatabaseFile {
    /// Returns the path in a form that SQLite always treats as a file; throws if it can't be one.
    ///
    /// If it is a symbolic link, it returns the target's path, because SQLite derives the names of
    /// the other files from it.
    static func checkedPath(_ path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .cannotOpen,
                message: "the database must be a file, but its path is \"\(path)\""
            )
        }
        // SQLite may be built to treat "file:" and some other prefixes specially.
        let file = path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
        return LocalFile.resolved(file)
    }

    /// Throws unless the path is unused, or that of a regular file with one hard link.
    ///
    /// The names of the WAL, its index and the lock derive from the database's name. Two names for
    /// one database would have two WALs, and each would overwrite changes of the other
    /// (<https://sqlite.org/howtocorrupt.html>, section 2.5). The file is not opened.
    static func checkPlace(_ path: String) throws(SQLiteError) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return try checkLink(path) }
        guard information.st_mode & S_IFMT == S_IFREG else { throw notADatabase(path) }
        let count = information.st_nlink
        guard count > 1 else { return }
        throw SQLiteError(
            code: .cannotOpen,
            message: """
                "\(shown(path))" has \(count) hard links. Find them with `find -samefile` and \
                remove the others: writes through one name would destroy those through another
                """
        )
    }

    /// Throws if the path is a symbolic link whose target doesn't exist.
    package static func checkLink(_ path: String) throws(SQLiteError) {
        var information = stat()
        guard unsafe stat(path, &information) != 0, errno == ENOENT,
            let target = linkTarget(of: path)
        else { return }
        throw SQLiteError(
            code: .cannotOpen,
            message: "\"\(shown(path))\" is a link to \"\(target)\", which does not exist: "
                + "is the disk mounted?"
        )
    }

    /// Returns the target of a symbolic link, or nil if the path is not a link.
    private static func linkTarget(of path: String) -> String? {
        let target = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = unsafe max(0, readlink(path, start, buffer.count))
        }
        return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
    }

    /// Throws unless the file is empty or has the header of a Humon database.
    ///
    /// It opens and closes the file, so this process must not have the database open yet.
    static func checkHeader(_ path: String) throws(SQLiteError) {
        guard let bytes = try start(of: path), !bytes.isEmpty else { return }
        guard DatabaseHeader.begins(bytes) else { throw notADatabase(path) }
        if let header = DatabaseHeader(bytes) { try DatabaseOwner.check(path, header) }
    }

    /// Returns whether the header says that the database is in WAL mode.
    ///
    /// A connection that can't create a WAL reports another mode. It opens and closes the file. See
    /// <https://sqlite.org/fileformat2.html#file_format_version_numbers>.
    static func isInWALMode(_ path: String) throws(SQLiteError) -> Bool {
        try start(of: path).flatMap(DatabaseHeader.init)?.isInWALMode ?? false
    }

    /// Returns the bytes of the header, or fewer of a shorter file; nil if there is no file.
    private static func start(of path: String) throws(SQLiteError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw systemError("cannot open the database \(path)", at: path)
        }
        // Closed before SQLite opens the file, because closing it later would drop SQLite's locks.
        defer { close(descriptor) }
        let capacity = DatabaseHeader.byteCount
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    /// Returns the path as it was before `checkedPath`, or a shorter one of the same file.
    static func shown(_ path: String) -> Substring {
        path.dropFirst(path.hasPrefix("./") ? 2 : 0)
    }

    private static func notADatabase(_ path: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: "\"\(shown(path))\" is not a database")
    }

    /// Creates an empty file with mode 0600, unless it exists.
    ///
    /// SQLite uses the same mode for the files beside it. An existing file is not even opened,
    /// because closing it would drop every lock that this process has on it
    /// (<https://sqlite.org/howtocorrupt.html>, section 2.2).
    static func create(_ path: String) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            if errno == EEXIST { return }
            throw systemError("cannot create the database \(path)", at: path)
        }
        defer { close(descriptor) }
        // The process's umask may differ.
        if fchmod(descriptor, 0o600) != 0 { throw systemError("cannot protect \(path)") }
    }

    /// Returns whether there is no file in an existing folder, or an empty file; throws if unknown.
    static func isEmpty(_ path: String) throws(SQLiteError) -> Bool {
        var information = stat()
        if unsafe stat(path, &information) == 0 { return information.st_size == 0 }
        let code = errno
        let folder = LocalFile.folder(of: path)
        if code == ENOENT, unsafe stat(folder, &information) == 0 { return true }
        errno = code
        throw systemError("cannot open the database \(path)", at: path)
    }

    /// Returns whether the file has a WAL, which it has while a process has it open.
    static func hasWAL(_ path: String) -> Bool {
        size(path + FileSuffix.wal) != nil
    }

    /// Returns whether the file is complete without others: no process has it open.
    static func isComplete(_ path: String) -> Bool {
        !hasWAL(path) && size(path + FileSuffix.journal) == nil
    }

    /// Returns whether no file can be created beside the database.
    static func isInReadOnlyFolder(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, LocalFile.folder(of: path), W_OK | X_OK, AT_EACCESS) != 0
    }

    /// Returns a value that changes whenever the file or its WAL changes; nil if it is unknown.
    static func stamp(_ path: String) -> [Int]? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        let time = information.st_mtim
        return [information.st_size, time.tv_sec, time.tv_nsec, size(path + FileSuffix.wal) ?? -1]
    }

    /// Returns the size of a file in bytes; nil if it is unknown.
    static func size(_ path: String) -> Int? {
        FileStatus(path)?.byteCount
    }

    /// Makes the names of the files durable; SQLite also does this, but ignores errors.
    package static func syncFolder(of path: String) throws(SQLiteError) {
        try sync(LocalFile.folder(of: path), O_DIRECTORY)
    }

    /// Syncs a file or folder that may have been written through another descriptor.
    static func sync(_ path: String, _ flags: Int32 = 0) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw systemError("cannot open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError("cannot sync \(path)") }
    }

    /// Returns that the disk is full if that is why a file can't be opened, or else the error.
    ///
    /// If SQLite can't create a file, it tries to open the missing file for reading, and reports
    /// that error instead. XFS creates no file once it has no room for inodes and names, although
    /// there is some for data.
    static func cause(of error: SQLiteError, _ path: String) -> SQLiteError {
        guard error.code.primary == .cannotOpen, !hasRoomForFile(LocalFile.folder(of: path)) else {
            return error
        }
        return SQLiteError(code: .full, message: "the disk has no room for another file")
    }

    /// The number of free bytes below which a file system may refuse to create a file.
    private static let leastFreeBytes = 1 << 20

    private static func hasRoomForFile(_ folder: String) -> Bool {
        if let free = LocalFile.freeBytes(at: folder), free < leastFreeBytes { return false }
        // A quota leaves no room, however much is free. A file with a name would need more room
        // than this one, but would be visible.
        let flags = HUMON_O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC
        let descriptor = unsafe open(folder, flags, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        return errno != ENOSPC && errno != EDQUOT
    }

    /// Returns an error with the meaning of `errno`, which a call with this path has set.
    static func systemError(_ problem: String, at path: String? = nil) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: "\(problem): \(reason(errno, at: path))")
    }

    /// Returns the meaning of a system error, maybe with advice, without a full stop.
    static func reason(_ error: Int32, at path: String? = nil) -> String {
        let text = unsafe String(cString: strerror(error))
        guard error == EACCES else { return text }
        return "\(text): \(path.flatMap(denial) ?? "run it as the server's user")"
    }

    /// Returns the file or folder that this user can't write to, its owner, and how to mend that.
    ///
    /// Returns nil if the user can write to both the file and its folder. Without a full stop.
    static func denial(of path: String) -> String? {
        var place = path
        var use = "read and write the file"
        if LocalFile.status(path) == nil || canUse(path, R_OK | W_OK) {
            use = "write to the folder"
            repeat {
                place = LocalFile.folder(of: place)
            } while LocalFile.status(place) == nil
                && LocalFile.folder(of: place) != place
            if canUse(place, W_OK | X_OK) { return nil }
        }
        guard let owner = LocalFile.status(place)?.st_uid else { return nil }
        let (user, group) = (geteuid(), getegid())
        let change = "`sudo chown \(user):\(group) '\(place)'`"
        let advice =
            switch owner {
            case user: "run `chmod u+rwX '\(place)'`"
            // Root is hardly the server's user, but creates folders for containers.
            case 0: "run \(change)"
            default: "run it as the server's user, or run \(change)"
            }
        return "user \(user) can't \(use) \"\(place)\", which belongs to user "
            + "\(owner): \(advice)"
    }

    private static func canUse(_ path: String, _ rights: Int32) -> Bool {
        // A read-only file system, which has an error of its own, denies nobody a right.
        unsafe faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0 || errno != EACCES
    }
}
