import CSQLite

/// An open database of the C library, closed when the last reference to it goes.
///
/// It may be used by one thread at a time, because it is opened without SQLite's own mutex.
@safe
final class Handle {
    // Valid from init to deinit, which alone closes it.
    let pointer: OpaquePointer

    /// Opens an existing file by means of this layer over the system's files, or else SQLite's own.
    init(path: String, fileSystem: String? = nil) throws(SQLiteError) {
        _ = Library.isConfigured
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &pointer, flags, fileSystem)
        guard code == SQLITE_OK, let opened = unsafe pointer else {
            let message = unsafe String(cString: sqlite3_errstr(code))
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
        SQLiteError(
            code: ResultCode(rawValue: code),
            message: unsafe String(cString: sqlite3_errmsg(pointer)),
            sql: sql
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
