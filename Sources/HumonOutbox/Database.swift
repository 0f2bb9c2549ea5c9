import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A file of SQLite that only this connection can use, for integers, texts, data, dates and nil.
final class Database {
    typealias Value = (any Sendable)?
    /// The values of a row by their columns, without those that are NULL.
    typealias Row = [String: any Sendable]

    private var handle: OpaquePointer?
    /// A function that tests call before each statement.
    private let willRun: @Sendable (String) -> Void

    /// Opens and locks the file, and makes its tables.
    ///
    /// - Throws: `inUse`, `damaged` or `storage`.
    init(_ file: URL, willRun: @escaping @Sendable (String) -> Void) throws(OutboxError) {
        self.willRun = willRun
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        sqlite3_open_v2(file.path, &handle, flags, nil)
        // WAL and FULL: a commit is on the disk when it returns. fullfsync is for Apple's disks.
        try run("PRAGMA locking_mode = EXCLUSIVE")
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA fullfsync = ON")
        guard try value("PRAGMA quick_check(1)") == "ok" else { throw .damaged }
        try transaction { () throws(OutboxError) in
            let version: Int64? = try value("PRAGMA user_version")
            if version == 2 { return }
            guard version == 0 else { throw .storage("The file is of another version of the app.") }
            // A rejected entry has an error.
            try run(
                """
                CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, user INTEGER,
                    key TEXT UNIQUE, kind INTEGER, record TEXT, event TEXT, body BLOB,
                    if_match TEXT, attempts INTEGER DEFAULT 0, first_sent REAL,
                    next_attempt REAL, error_kind TEXT, error TEXT)
                """
            )
            try run("CREATE INDEX entry_record ON entry (record)")
            try run("CREATE TABLE local (record TEXT PRIMARY KEY, id INTEGER)")
            try run("PRAGMA user_version = 2")
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Calls the function in a transaction, which is undone if it throws.
    func transaction<T>(_ body: () throws(OutboxError) -> T) throws(OutboxError) -> T {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// Returns the value of the first row of a statement with one column, or nil.
    func value<Result>(_ sql: String, _ values: [Value] = []) throws(OutboxError) -> Result? {
        try run(sql, values).first?.values.first as? Result
    }

    /// Runs a statement, and returns its rows.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(OutboxError) -> [Row] {
        willRun(sql)
        var statement: OpaquePointer?
        var code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() where code == SQLITE_OK {
            code = bind(value, to: statement, at: Int32(index + 1))
        }
        var rows: [Row] = []
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        while code == SQLITE_ROW {
            var row: Row = [:]
            for index in 0..<sqlite3_column_count(statement) {
                guard let name = sqlite3_column_name(statement, index) else { continue }
                row[String(cString: name)] = column(statement, index)
            }
            rows.append(row)
            code = sqlite3_step(statement)
        }
        switch code & 0xFF {
        case SQLITE_DONE: return rows
        case SQLITE_BUSY, SQLITE_LOCKED: throw .inUse
        case SQLITE_CORRUPT, SQLITE_NOTADB: throw .damaged
        default: throw .storage(sqlite3_errmsg(handle).map { String(cString: $0) } ?? "")
        }
    }

    private func bind(_ value: Value, to statement: OpaquePointer?, at index: Int32) -> Int32 {
        // This is SQLITE_TRANSIENT, a macro that Swift can't import. SQLite then copies the bytes
        // before the call returns, and never calls this as a function.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case let integer as Int64: return sqlite3_bind_int64(statement, index, integer)
        case let text as String: return sqlite3_bind_text(statement, index, text, -1, transient)
        case let date as Date:
            return sqlite3_bind_double(statement, index, date.timeIntervalSince1970)
        case let data as Data:
            let count = Int32(data.count)
            return data.withUnsafeBytes {
                sqlite3_bind_blob(statement, index, $0.baseAddress, count, transient)
            }
        default: return sqlite3_bind_null(statement, index)
        }
    }

    private func column(_ statement: OpaquePointer?, _ index: Int32) -> Value {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return sqlite3_column_int64(statement, index)
        case SQLITE_FLOAT: return sqlite3_column_double(statement, index)
        case SQLITE_TEXT: return sqlite3_column_text(statement, index).map { String(cString: $0) }
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, index))
            return sqlite3_column_blob(statement, index).map { Data(bytes: $0, count: count) }
        default: return nil
        }
    }
}
