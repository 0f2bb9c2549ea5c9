import CSQLite

/// An open database of the C library, closed with the last reference.
///
/// Only one thread at a time can use it, because it is opened without SQLite's mutex.
@safe
final class Handle {
    // Valid from init to deinit; only deinit closes it.
    let pointer: OpaquePointer

    /// How the file can be used.
    enum Mode {
        case readWrite
        /// Reading only, including the content of the WAL.
        case readOnly
        /// Reading only, without locks and without creating files; no process may change the file
        /// (<https://sqlite.org/uri.html#uriimmutable>).
        case immutable
    }

    /// Opens an existing file through this VFS, or through SQLite's default if it is nil.
    init(path: String, _ mode: Mode = .readWrite, fileSystem: String? = nil) throws(SQLiteError) {
        _ = Library.isConfigured
        var pointer: OpaquePointer?
        let name = mode == .immutable ? Self.immutableURI(of: path) : path
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(name, &pointer, flags, fileSystem)
        guard code == SQLITE_OK, let opened = unsafe pointer else {
            let cause = unsafe pointer == nil ? 0 : sqlite3_system_errno(pointer)
            let message =
                cause == 0
                ? unsafe String(cString: sqlite3_errstr(code))
                : DatabaseFile.reason(cause, at: path)
            // Even if opening fails, there is a handle that must be closed.
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

    /// Throws if SQLite has opened the file read-only, which it does silently if it can't write.
    func checkWritable(_ path: String) throws(SQLiteError) {
        guard unsafe sqlite3_db_readonly(pointer, nil) != 0 else { return }
        throw SQLiteError(
            code: .readOnly,
            message: "the database \(path) is read-only"
                + (DatabaseFile.denial(of: path).map { ": " + $0 } ?? "")
        )
    }

    /// Throws the connection's latest error unless `code` is success.
    func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws(SQLiteError) {
        if code != SQLITE_OK { throw latestError(code, sql: sql()) }
    }

    /// Returns the error of the call that has just returned `code`.
    func latestError(_ code: Int32, sql: String? = nil) -> SQLiteError {
        let code = ResultCode(rawValue: code)
        var message = unsafe String(cString: sqlite3_errmsg(pointer))
        let cause = unsafe code.primary == .cannotOpen ? sqlite3_system_errno(pointer) : 0
        if cause != 0 { message += ": " + DatabaseFile.reason(cause) }
        return SQLiteError(code: code, message: message, sql: sql)
    }

    /// Executes all statements of a script that is part of the program.
    func execute(script: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(pointer, script, nil, nil, nil), sql: script)
    }

    /// Adds a function of any number of arguments that returns 0.
    ///
    /// Only statements of the program can call it, not the schema of a database
    /// (<https://sqlite.org/c3ref/create_function.html>).
    func addZero(_ name: String) throws(SQLiteError) {
        try check(
            unsafe sqlite3_create_function_v2(
                pointer,
                name,
                -1,
                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                nil,
                { context, _, _ in unsafe sqlite3_result_int64(context, 0) },
                nil,
                nil,
                nil
            )
        )
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
    /// Returns the path as a URI; only characters with a meaning in URIs are escaped.
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
