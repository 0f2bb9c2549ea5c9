import CSQLite

/// An open database of the C library, closed when the last reference to it goes.
///
/// It may be used by one thread at a time, because it is opened without SQLite's own mutex.
@safe
final class Handle {
    // Valid from init to deinit, which alone closes it.
    let pointer: OpaquePointer

    /// What may become of the file.
    enum Mode {
        case readWrite
        /// It is read alone, with what its WAL holds.
        case readOnly
        /// It is read alone, and nobody else may change it meanwhile: there are no locks, and no
        /// file is made beside it (<https://sqlite.org/uri.html#uriimmutable>).
        case immutable
    }

    /// Opens an existing file by means of this layer over the system's files, or else SQLite's own.
    init(
        path: String,
        _ mode: Mode = .readWrite,
        fileSystem: String? = nil
    ) throws(SQLiteError) {
        _ = Library.isConfigured
        var pointer: OpaquePointer?
        let name = mode == .immutable ? Self.immutableURI(of: path) : path
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(name, &pointer, flags, fileSystem)
        guard code == SQLITE_OK, let opened = unsafe pointer else {
            let cause = unsafe pointer == nil ? 0 : sqlite3_system_errno(pointer)
            let message =
                cause == 0
                ? unsafe String(cString: sqlite3_errstr(code)) : DatabaseFile.reason(cause)
            // A handle is made, and has to be closed, even where opening fails.
            unsafe sqlite3_close_v2(pointer)
            throw SQLiteError(
                code: ResultCode(rawValue: code),
                message: "cannot open the database \(path): \(message)"
            )
        }
        unsafe self.pointer = opened
    }

    deinit {
        unsafe sqlite3_close_v2(pointer)
    }

    /// Throws if SQLite has opened the file for reading alone, which it does without a word where
    /// it cannot open it for writing.
    func checkWritable(_ path: String) throws(SQLiteError) {
        guard unsafe sqlite3_db_readonly(pointer, nil) != 0 else { return }
        throw SQLiteError(
            code: .readOnly,
            message: "the database \(path) can be read, but not be written to"
        )
    }

    /// Throws the connection's latest error unless `code` is that of success.
    func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws(SQLiteError) {
        if code != SQLITE_OK { throw latestError(code, sql: sql()) }
    }

    /// What the call that has just returned `code` failed of.
    func latestError(_ code: Int32, sql: String? = nil) -> SQLiteError {
        let code = ResultCode(rawValue: code)
        var message = unsafe String(cString: sqlite3_errmsg(pointer))
        let cause = unsafe code.primary == .cannotOpen ? sqlite3_system_errno(pointer) : 0
        if cause != 0 { message += ": " + DatabaseFile.reason(cause) }
        return SQLiteError(code: code, message: message, sql: sql)
    }

    /// Executes every statement of a text that the program brings along.
    func execute(script: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(pointer, script, nil, nil, nil), sql: script)
    }

    /// Sets a flag of <https://sqlite.org/c3ref/c_dbconfig_defensive.html> and reads it back.
    func setFlag(_ flag: Int32, _ value: Bool) throws(SQLiteError) {
        var result: Int32 = -1
        try check(unsafe humon_sqlite3_set_flag(pointer, flag, value ? 1 : 0, &result))
        guard result == (value ? 1 : 0) else {
            throw SQLiteError(code: .misuse, message: "connection flag \(flag) cannot be set")
        }
    }
}

extension Handle {
    /// Of the path, only what would end it or stand for something else is escaped.
    private static func immutableURI(of path: String) -> String {
        var uri = "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": uri += "%25"
            case "?": uri += "%3f"
            case "#": uri += "%23"
            default: uri.unicodeScalars.append(scalar)
            }
        }
        return uri + "?immutable=1"
    }
}

extension Handle.Mode {
    fileprivate var flags: Int32 {
        switch self {
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readOnly: SQLITE_OPEN_READONLY
        case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
    }
}
