/// An error of PostgreSQL or of the connection to it, which never contains bound values.
package struct PostgreSQLError: Error, Equatable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// There is no connection, or it was lost. What was sent was not stored.
        case unreachable
        /// The server has reported the error of `state`. The command changed nothing.
        case rejected
        /// The server has not responded in time. What was sent was not stored.
        case timedOut
        /// Too much waits for the database. Nothing was sent.
        case overloaded
        /// COMMIT was sent, and the connection was lost before the answer.
        case unknownOutcome
        /// The connections are closed.
        case stopped
        /// A result has another shape than the caller expects.
        case unexpectedResult
    }

    package let kind: Kind
    /// The code of the server's error; nil unless the server has reported one.
    package let state: SQLState?
    package let message: String
    /// The statement that failed, if any.
    package let sql: String?
    /// Whether `DatabaseEvent.unreachable` has reported it, as that of a failed attempt to connect.
    package let isReported: Bool

    package init(
        _ kind: Kind,
        state: SQLState? = nil,
        message: String,
        sql: String? = nil,
        isReported: Bool = false
    ) {
        self.kind = kind
        self.state = state
        self.message = message
        self.sql = sql
        self.isReported = isReported
    }

    package var description: String {
        let code = state.map { " \($0)" } ?? ""
        let cause = "PostgreSQL error\(code): \(message)"
        return sql.map { "\(cause) (in: \($0))" } ?? cause
    }

    /// Whether there is no connection because the hosts that respond accept no writes.
    ///
    /// libpq has no code for it.
    package var isOfReadOnlyHost: Bool {
        let reasons = ["session is read-only", "server is in hot standby mode"]
        return kind == .unreachable && reasons.contains { message.contains($0) }
    }

    /// Whether the certificates or the encryption of a connection are not as the URL requires.
    ///
    /// libpq has no code for it.
    package var isOfEncryption: Bool {
        let reasons = [
            "certificate verify failed", "certificate file", "private key file",
            "does not match host name", "server does not support SSL",
        ]
        return kind == .unreachable && reasons.contains { message.contains($0) }
    }

    /// The error for work whose deadline has passed.
    package static let late = PostgreSQLError(
        .timedOut,
        message: "the server has not responded in time"
    )
    /// The error for work after `close`.
    static let stopped = PostgreSQLError(.stopped, message: "the connections are closed")
    /// The error for a column that a caller must not read in this way.
    static func unexpectedResult(_ message: String) -> PostgreSQLError {
        PostgreSQLError(.unexpectedResult, message: message)
    }
}
