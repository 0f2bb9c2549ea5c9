import CSQLite

/// The current row of a statement, which can't outlive the closure that gets it.
///
/// Columns count from 0. SQLite converts values of other types
/// (<https://sqlite.org/c3ref/column_blob.html>): NULL becomes 0 or empty, and columns that don't
/// exist are NULL.
@safe
package struct Row: ~Copyable {
    private let statement: OpaquePointer

    /// Creates a row of this statement, which must not step while the row exists.
    init(statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    package borrowing func int64(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    package borrowing func double(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(statement, column)
    }

    /// Returns the text; invalid UTF-8 is replaced by U+FFFD.
    package borrowing func text(_ column: Int32) -> String {
        optionalText(column) ?? ""
    }

    /// Returns the text as `text` does, or nil for NULL.
    package borrowing func optionalText(_ column: Int32) -> String? {
        // Read the text first, because the count is for the type that was read last.
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
