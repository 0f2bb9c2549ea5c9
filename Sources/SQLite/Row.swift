import CSQLite

/// The row that a statement stands on; it cannot outlive the closure that it is passed to.
///
/// Columns count from 0. A value of another type is converted as SQLite converts it
/// (<https://sqlite.org/c3ref/column_blob.html>): NULL is 0 or empty, and a column that is not
/// there is NULL.
@safe
package struct Row: ~Copyable {
    private let statement: OpaquePointer

    /// A row of this statement, which must stay on it and live as long as the row.
    init(statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    package borrowing func int64(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    package borrowing func double(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(statement, column)
    }

    /// The text; what is not UTF-8 in it is replaced by U+FFFD.
    package borrowing func text(_ column: Int32) -> String {
        optionalText(column) ?? ""
    }

    /// The text as `text` gives it, or nil for NULL.
    package borrowing func optionalText(_ column: Int32) -> String? {
        // The text first: the count is that of the form asked for last.
        guard let start = unsafe sqlite3_column_text(statement, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count),
            as: UTF8.self
        )
    }

    package borrowing func blob(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    package borrowing func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    package borrowing func optionalDouble(_ column: Int32) -> Double? {
        isNull(column) ? nil : double(column)
    }

    package borrowing func optionalInt64(_ column: Int32) -> Int64? {
        isNull(column) ? nil : int64(column)
    }
}
