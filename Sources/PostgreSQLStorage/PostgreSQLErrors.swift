import Events
import PostgreSQL
import Rules
import System

extension PostgreSQLError: ExplainedError {
    package var explanation: String {
        switch kind {
        case .unreachable where state?.rejectsConfiguration == true:
            """
            The database rejects the connection: \(message). Check the user, the password and the \
            database in DATABASE_URL.
            """
        case .unreachable where isOfReadOnlyHost:
            """
            The database accepts no writes: \(message). Name the primary in DATABASE_URL, or \
            promote the standby.
            """
        case .unreachable where isOfEncryption:
            """
            The database rejects the connection: \(message). Check sslmode, sslrootcert, sslcert \
            and sslkey in DATABASE_URL.
            """
        case .unreachable: "The database can't be reached: \(message)."
        case .timedOut: "The database did not respond in time. Try again in a moment."
        case .overloaded: "Too many changes are waiting."
        case .stopped: "The database is closed."
        case .unknownOutcome: "It is not known whether the change was stored: \(message)."
        case .rejected where state == .diskFull:
            "The database's disk is full. Free some disk space, and run this again."
        // Without the right to use a schema, it is as if there were none.
        case .rejected where state == .missingRight || state == .unknownSchema:
            """
            The database's role lacks a right: \(message). Make the role of DATABASE_URL the owner \
            of the database and its tables, as docs/postgresql.md shows.
            """
        case .rejected, .unexpectedResult: "The database failed: \(self)."
        }
    }

    /// Whether the database has rejected a value of a record, and not the statement.
    var isRefusal: Bool {
        kind == .rejected && (state?.classCode == "22" || state?.classCode == "23")
    }
}

extension MigrationError: ExplainedError {
    package var explanation: String { description }
}

extension LibraryError: ExplainedError {
    package var explanation: String { description }

    package var isOfConfiguration: Bool { true }
}

extension ConnectionURLError: ExplainedError {
    package var explanation: String { description }
}

/// Maps errors of the database to errors of the model.
func modelError(for error: any Error) -> any Error {
    switch error {
    case let error as PostgreSQLError: modelError(for: error)
    default: error
    }
}

private func modelError(for error: PostgreSQLError) -> ModelError {
    switch error.kind {
    case .unreachable where error.isReported: .unreachable(cause: error.description)
    case .unreachable: .unreachable(error)
    case .timedOut: .busy(error)
    case .overloaded: .overloaded(reason: "Too many changes are waiting. Try again in a moment.")
    case .stopped: .unavailable(reason: "The server is shutting down.")
    case .unknownOutcome:
        .unavailable(
            reason: "It is not known whether the change was stored.",
            cause: error.description
        )
    case .rejected: error.state.map { modelError(for: error, $0) } ?? .storage(error)
    case .unexpectedResult: .storage(error)
    }
}

private func modelError(for error: PostgreSQLError, _ state: SQLState) -> ModelError {
    switch state {
    case _ where state.endsConnection: .unreachable(error)
    case .readOnlyTransaction:
        .unavailable(reason: "The storage cannot be written to.", cause: error.description)
    case .diskFull: .unavailable(reason: "The storage is full.")
    case _ where state.isOfMachine: .unreachable(error)
    case .queryCancelled, .lockNotAvailable, .serializationFailure, .deadlock: .busy(error)
    case .closedForMove:
        .unavailable(reason: "The data is being moved. Try again in a moment.")
    default: .storage(error)
    }
}

extension ModelError {
    /// The error of a request that would have to wait for too long.
    static func busy(_ error: PostgreSQLError? = nil) -> ModelError {
        .unavailable(
            reason: "The storage is busy. Try again in a moment.",
            cause: error?.description
        )
    }

    fileprivate static func unreachable(_ error: PostgreSQLError) -> ModelError {
        .unavailable(reason: "The storage cannot be reached.", cause: error.description)
    }

    fileprivate static func storage(_ error: PostgreSQLError) -> ModelError {
        .storage(cause: error.description)
    }
}
