import Glibc

/// The files of a database.
enum DatabaseFile {
    /// The path in a form that SQLite takes for a file whatever it is called; throws if it can't
    /// be one.
    static func checkedPath(_ path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .cannotOpen,
                message: "the database must be a file, which \"\(path)\" does not name"
            )
        }
        // SQLite may be built to read "file:" and a few more as something else than a path.
        return path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
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

    /// The size of a file in bytes; nil if it can't be known.
    static func size(_ path: String) -> Int? {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? information.st_size : nil
    }

    /// Makes the names of the files durable, which SQLite tries without noticing if it fails.
    static func syncFolder(of path: String) throws(SQLiteError) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError("cannot open the folder of \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError("cannot sync the folder of \(path)") }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// An error that says what `errno` means.
    static func systemError(_ problem: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: "\(problem): \(unsafe String(cString: strerror(errno)))"
        )
    }
}
