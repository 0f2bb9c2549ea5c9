import CPostgreSQL

/// A connection for commands, which blocks the calling thread until the server has responded.
///
/// Only one thread at a time may use it.
package final class BlockingConnection {
    let session: Session

    /// Connects to the first host that suits.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - purpose: What it is used for, which decides how long statements may take.
    ///   - preparesStatements: Whether statements are prepared under names.
    /// - Throws: A `PostgreSQLError` of the kind `unreachable`, with the server's code if it has
    ///   given one, or `LibraryError`.
    package init(
        url: ConnectionURL,
        for purpose: ConnectionURL.Purpose = .administration,
        preparesStatements: Bool = true
    ) throws {
        session = try Connecting(
            url: url,
            purpose: purpose,
            preparesStatements: preparesStatements
        ).connect().session
    }

    /// Whether a transaction is open and has not failed.
    package var isInTransaction: Bool { session.isInTransaction }

    /// The version of the server, such as `15.18`, as it reports it.
    package var serverVersion: String { session.parameter("server_version") ?? "unknown" }

    /// The number of the version of the server, such as 150018; 0 if it is unknown.
    package var serverVersionNumber: Int { session.versionNumber }

    /// Whether the connection uses TLS.
    package var isEncrypted: Bool { session.isEncrypted }

    /// The process id that the other end has reported at the start.
    ///
    /// A pooler reports another one than that of the server's process.
    package var reportedProcessID: Int64 { session.processID }

    /// The encoding of the database, such as `UTF8`.
    package var encoding: String { session.parameter("server_encoding") ?? "unknown" }

    /// Performs a command and returns its rows.
    @discardableResult
    package func perform(_ command: Command) throws(PostgreSQLError) -> Rows {
        let isOutside = !session.isInTransaction
        do {
            return try performOnce(command)
        } catch {
            // A pooler has given this client another connection to the server.
            guard error.state == .unknownStatement, isOutside else { throw error }
            session.forget(command)
            return try performOnce(command)
        }
    }

    /// Performs commands in one transaction, and returns the rows of each.
    ///
    /// - Throws: The first error; nothing is stored then, unless its kind is `unknownOutcome`.
    package func performTransaction(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        try perform(Command("BEGIN"))
        var results: [Rows] = []
        do {
            for command in commands { results.append(try perform(command)) }
        } catch {
            // If this fails, the connection is lost, which also ends the transaction.
            _ = try? perform(Command("ROLLBACK"))
            throw error
        }
        do {
            try perform(Command("COMMIT"))
        } catch {
            guard error.kind == .unreachable else { throw error }
            throw PostgreSQLError(.unknownOutcome, message: error.message)
        }
        return results
    }

    /// Performs the statements of a migration, which are part of the program.
    func performScript(_ sql: String) throws(PostgreSQLError) {
        let result = unsafe session.functions.pointee.PQexec(session.connection, sql)
        guard let result = unsafe result else { throw session.lossError() }
        let outcome = unsafe QueryResult(result, session.library)
        guard outcome.isSuccess else { throw outcome.error(in: nil) }
    }

    private func performOnce(_ command: Command) throws(PostgreSQLError) -> Rows {
        if session.mustPrepare(command) {
            guard session.sendPrepare(command) else { throw session.lossError() }
            do {
                _ = try takeResult(of: command)
            } catch {
                // A name is made of the text, so it is the same statement.
                if error.state != .duplicateStatement {
                    session.forget(command)
                    throw error
                }
            }
        }
        guard session.sendQuery(command) else { throw session.lossError() }
        return try Rows(takeResult(of: command))
    }

    /// Waits for all results of what was sent last, and returns the first.
    private func takeResult(of command: Command) throws(PostgreSQLError) -> QueryResult {
        guard let first = session.nextResult() else { throw session.lossError() }
        while session.nextResult() != nil {}
        guard first.isSuccess else { throw first.error(in: command.sql) }
        return first
    }
}
