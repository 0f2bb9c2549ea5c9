import CSQLite

/// An error of SQLite, which never contains bound values.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    package let code: ResultCode
    package let message: String
    /// The statement that failed, if any.
    package let sql: String?

    package init(code: ResultCode, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    package var description: String {
        let cause = "SQLite error \(code.rawValue): \(message)"
        return sql.map { "\(cause) (in: \($0))" } ?? cause
    }
}

extension SQLiteError {
    /// The error for writes during a move, with the code that triggers cause after it.
    static let moving = SQLiteError(code: .triggerConstraint, message: "the data is being moved")
}
