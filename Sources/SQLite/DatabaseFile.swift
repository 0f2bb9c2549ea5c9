import Glibc

/// The files of a database.
package enum DatabaseFile {
    /// What every SQLite database begins with (<https://sqlite.org/fileformat2.html>).
    package static let magic = Array("SQLite format 3\0".utf8)

    private static let headerBytes = 100

    /// The path in a form that SQLite takes for a file whatever it is called, or that of the file
    /// itself if it is a symbolic link to one, since what is beside it is named after the file;
    /// throws if it can't be one.
    static func checkedPath(_ path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .cannotOpen,
                message: "the database must be a file, which \"\(path)\" does not name"
            )
        }
        // SQLite may be built to read "file:" and a few more as something else than a path.
        let file = path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
        return linkTarget(of: file) == nil ? file : resolved(file)
    }

    /// Throws unless the path is that of a regular file with no other name, or free for one.
    ///
    /// The WAL, its index and the lock are found by the database's name: under another name it has
    /// others, and each would write over what the other has written
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
                "\(shown(path))" has \(count) names (hard links). Remove the others, which `find \
                -samefile` shows: changes by one name would destroy those by another
                """
        )
    }

    /// Throws if the path is that of a symbolic link that leads nowhere.
    package static func checkLink(_ path: String) throws(SQLiteError) {
        var information = stat()
        guard unsafe stat(path, &information) != 0, errno == ENOENT,
            let target = linkTarget(of: path)
        else { return }
        throw SQLiteError(
            code: .cannotOpen,
            message: "\"\(shown(path))\" leads to \"\(target)\", where there is nothing: "
                + "is the disk mounted?"
        )
    }

    /// The path without symbolic links; one that leads nowhere stays as it is.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// What a symbolic link holds; nil if there is none at the path.
    private static func linkTarget(of path: String) -> String? {
        let target = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = unsafe max(0, readlink(path, start, buffer.count))
        }
        return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
    }

    /// Throws unless the file begins as a database of this program does, or there is nothing in it.
    ///
    /// It is opened and closed again, so this process must not have the database open yet.
    static func checkHeader(_ path: String) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw systemError("cannot open the database \(path)")
        }
        let head = unsafe [UInt8](unsafeUninitializedCapacity: headerBytes) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        // Before SQLite opens it, whose locks this would end.
        close(descriptor)
        guard head.isEmpty || head.starts(with: magic) else { throw notADatabase(path) }
        try DatabaseOwner.check(path, header: head)
    }

    /// The path as it was before `checkedPath`, or a shorter one to the same file.
    static func shown(_ path: String) -> Substring {
        path.dropFirst(path.hasPrefix("./") ? 2 : 0)
    }

    private static func notADatabase(_ path: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: "\"\(shown(path))\" is not a database")
    }

    /// Makes an empty file that its owner alone may read or write, if there is none.
    ///
    /// SQLite gives the same mode to the files beside it. An existing file is not even opened:
    /// closing it again would end every lock that this process has on it
    /// (<https://sqlite.org/howtocorrupt.html>, section 2.2).
    static func create(_ path: String) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            if errno == EEXIST { return }
            throw systemError("cannot create the database \(path)")
        }
        defer { close(descriptor) }
        // Whatever the process's mask is.
        if fchmod(descriptor, 0o600) != 0 { throw systemError("cannot protect \(path)") }
    }

    /// Whether there is no file, in a folder that there is, or nothing in it; throws if that can't
    /// be known.
    static func isEmpty(_ path: String) throws(SQLiteError) -> Bool {
        var information = stat()
        if unsafe stat(path, &information) == 0 { return information.st_size == 0 }
        let isMissing = unsafe errno == ENOENT && stat(folder(of: path), &information) == 0
        if isMissing { return true }
        throw systemError("cannot open the database \(path)")
    }

    /// Whether there is a WAL beside the file, as there is while anybody has it open.
    static func hasWAL(_ path: String) -> Bool {
        size(path + "-wal") != nil
    }

    /// Whether no file can be made beside the database.
    static func isInReadOnlyFolder(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, folder(of: path), W_OK | X_OK, AT_EACCESS) != 0
    }

    /// What is another one once somebody has changed the file or its WAL; nil if it can't be known.
    static func stamp(_ path: String) -> [Int]? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        let time = information.st_mtim
        return [information.st_size, time.tv_sec, time.tv_nsec, size(path + "-wal") ?? -1]
    }

    /// The size of a file in bytes; nil if it can't be known.
    static func size(_ path: String) -> Int? {
        FileStatus(path)?.byteCount
    }

    /// Makes the names of the files durable, which SQLite tries without noticing if it fails.
    static func syncFolder(of path: String) throws(SQLiteError) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError("cannot open the folder of \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError("cannot sync the folder of \(path)") }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// An error that says what `errno` means.
    static func systemError(_ problem: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: "\(problem): \(reason(errno))")
    }

    /// What an error of the system means, and what to do where that is clear; no full stop.
    static func reason(_ error: Int32) -> String {
        let text = unsafe String(cString: strerror(error))
        return error == EACCES ? text + ": run it as the user that the server runs as" : text
    }
}
