import CSQLite

/// A prepared statement, finalised when it goes; it keeps its database open.
@safe
struct Statement: ~Copyable {
    // Valid from init to deinit, which alone finalises it.
    private let pointer: OpaquePointer
    private let handle: Handle

    /// Compiles the one statement that `sql` holds, to be used many times or once.
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

    /// Binds one value to each parameter, from the first on.
    borrowing func bind(_ values: [Value]) throws(SQLiteError) {
        guard values.count == Int(unsafe sqlite3_bind_parameter_count(pointer)) else {
            throw SQLiteError(code: .range, message: "a value for each parameter", sql: sql)
        }
        var index: Int32 = 0
        for value in values {
            index &+= 1
            try handle.check(bind(value, at: index), sql: sql)
        }
    }

    /// Goes on to the next row; false if there is none.
    borrowing func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw handle.latestError(code, sql: sql)
        }
    }

    /// The row that `step` went to.
    var row: Row {
        unsafe Row(statement: pointer)
    }

    /// Ends the execution and forgets the values.
    borrowing func reset() {
        // The code repeats the failure that `step` has thrown.
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
