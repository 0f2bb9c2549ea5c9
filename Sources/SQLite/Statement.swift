import CSQLite

/// A prepared statement, which keeps its database open and is finalised with the value.
@safe
struct Statement: ~Copyable {
    // Valid from init to deinit; only deinit finalises it.
    private let pointer: OpaquePointer
    private let handle: Handle

    /// Compiles the only statement in `sql`; `isPersistent` if it is used many times.
    init(_ sql: String, isPersistent: Bool, handle: Handle) throws(SQLiteError) {
        var pointer: OpaquePointer?
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        try handle.check(
            unsafe sqlite3_prepare_v3(handle.pointer, sql, -1, flags, &pointer, nil),
            sql: sql
        )
        guard let prepared = unsafe pointer else {
            throw SQLiteError(code: .misuse, message: "there is no statement", sql: sql)
        }
        unsafe self.pointer = prepared
        self.handle = handle
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    /// Binds one value to each parameter, in order.
    borrowing func bind(_ values: [Value]) throws(SQLiteError) {
        guard values.count == Int(unsafe sqlite3_bind_parameter_count(pointer)) else {
            throw SQLiteError(code: .range, message: "one value for each parameter", sql: sql)
        }
        var index: Int32 = 0
        for value in values {
            index &+= 1
            try handle.check(bind(value, at: index), sql: sql)
        }
    }

    /// Steps to the next row, or returns false after the last row.
    borrowing func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw handle.latestError(code, sql: sql)
        }
    }

    /// The current row.
    var row: Row {
        unsafe Row(statement: pointer)
    }

    /// Ends the execution and clears the bound values.
    borrowing func reset() {
        // The code repeats the error that `step` has thrown.
        _ = unsafe sqlite3_reset(pointer)
        _ = unsafe sqlite3_clear_bindings(pointer)
    }

    private var sql: String? {
        unsafe sqlite3_sql(pointer).map { unsafe String(cString: $0) }
    }

    private borrowing func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .integer(let integer): unsafe sqlite3_bind_int64(pointer, index, integer)
        case .real(let real): unsafe sqlite3_bind_double(pointer, index, real)
        case .text(var text):
            text.withUTF8 { bytes in
                unsafe humon_sqlite3_bind_text(
                    pointer,
                    index,
                    bytes.baseAddress,
                    UInt64(bytes.count)
                )
            }
        case .blob(let blob):
            unsafe blob.withUnsafeBytes { bytes in
                unsafe humon_sqlite3_bind_blob(
                    pointer,
                    index,
                    bytes.baseAddress,
                    UInt64(bytes.count)
                )
            }
        case .null: unsafe sqlite3_bind_null(pointer, index)
        }
    }
}
