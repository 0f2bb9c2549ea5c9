import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A value of SQL.
enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)

    init(_ integer: Int64?) { self = integer.map(Value.integer) ?? .null }
    init(_ text: String?) { self = text.map(Value.text) ?? .null }

    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var blob: Data? { if case .blob(let blob) = self { blob } else { nil } }
}

/// An error of SQLite.
struct DatabaseError: Error {
    let code: Int32
    let message: String

    /// Whether the file is no sound database.
    var isCorrupt: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
    /// Whether another connection has locked the file.
    var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
}

/// A file of SQLite that only this connection can use.
final class Database {
    private var handle: OpaquePointer?
    /// A function that tests call before each statement and each commit.
    private let willRun: @Sendable (String) -> Void

    /// Opens or creates the file, and makes its tables.
    ///
    /// - Throws: A `DatabaseError`.
    init(_ file: URL, willRun: @escaping @Sendable (String) -> Void) throws {
        self.willRun = willRun
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(file.path, &handle, flags, nil)
        guard code == SQLITE_OK else { throw error(code) }
        // WAL and FULL: a commit is on the disk when it returns. fullfsync is for Apple's disks.
        for pragma in [
            "locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL",
            "fullfsync = ON",
        ] { try run("PRAGMA \(pragma)") }
        guard try run("PRAGMA quick_check(1)").first?.first == .text("ok") else {
            throw DatabaseError(code: SQLITE_CORRUPT, message: "The file is damaged.")
        }
        try transaction {
            let version = try run("PRAGMA user_version").first?.first?.integer
            if version == 0 {
                for table in Self.schema { try run(table) }
                try run("PRAGMA user_version = 1")
            } else if version != 1 {
                throw DatabaseError(
                    code: SQLITE_MISMATCH,
                    message: "The file is of a later version of the app."
                )
            }
        }
    }

    deinit { sqlite3_close_v2(handle) }

    private static let schema = [
        """
        CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, user INTEGER, key TEXT UNIQUE,
            record TEXT, kind INTEGER, body BLOB, if_match TEXT, state INTEGER, attempts INTEGER,
            first_sent INTEGER, next_attempt INTEGER, error TEXT)
        """,
        "CREATE INDEX entry_record ON entry (record)",
        "CREATE TABLE local (record TEXT PRIMARY KEY, kind INTEGER, id INTEGER)",
    ]

    /// Calls the function in a transaction, which is undone if it throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
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

    /// Runs a statement, and returns its rows.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
        willRun(sql)
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw error(code) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let code = bind(value, to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
            case SQLITE_DONE: return rows
            case let code: throw error(code)
            }
        }
    }

    private func bind(_ value: Value, to statement: OpaquePointer?, at index: Int32) -> Int32 {
        // SQLite copies the bytes.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
        case .text(let text): return sqlite3_bind_text(statement, index, text, -1, transient)
        case .blob(let data):
            let count = Int32(data.count)
            return data.withUnsafeBytes {
                sqlite3_bind_blob(statement, index, $0.baseAddress, count, transient)
            }
        }
    }

    private func column(_ statement: OpaquePointer?, _ index: Int32) -> Value {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            return .text(sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, index))
            guard let bytes = sqlite3_column_blob(statement, index) else { return .blob(Data()) }
            return .blob(Data(bytes: bytes, count: count))
        default: return .null
        }
    }

    private func error(_ code: Int32) -> DatabaseError {
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        return DatabaseError(code: code, message: message)
    }
}
