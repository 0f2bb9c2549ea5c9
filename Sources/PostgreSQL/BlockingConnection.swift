import CPostgreSQL
package import System

/// A connection for commands, which blocks the calling thread until the server has responded.
///
/// Threads that use it at the same time wait for each other at each command.
package final class BlockingConnection: Sendable {
    private let session: Mutex<Session>

    /// Connects to the first host that suits.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - purpose: What it is used for, which decides how long statements may take.
    ///   - preparesStatements: Whether statements are prepared under names.
    ///   - acceptsReadOnly: Whether to connect to a host that accepts no writes, such as a standby,
    ///     if no other can be reached.
    /// - Throws: A `PostgreSQLError` of the kind `unreachable`, with the server's code if it has
    ///   given one, or `LibraryError`.
    package init(
        url: ConnectionURL,
        for purpose: ConnectionURL.Purpose = .administration,
        preparesStatements: Bool = true,
        acceptsReadOnly: Bool = false
    ) throws {
        session = Mutex(
            try SessionOpener(
                url: url,
                purpose: purpose,
                preparesStatements: preparesStatements,
                acceptsReadOnly: acceptsReadOnly
            ).connect().session
        )
    }

    /// Whether a transaction is open and has not failed.
    package var isInTransaction: Bool { session.withLock { $0.isInTransaction } }

    /// Whether it is connected, and no transaction is open.
    package var isIdle: Bool { session.withLock { $0.isIdle } }

    /// The version of the server, such as `15.18`, as it reports it.
    package var serverVersion: String {
        session.withLock { $0.parameter("server_version") } ?? "unknown"
    }

    /// The number of the version of the server, such as 150018; 0 if it is unknown.
    package var serverVersionNumber: Int { session.withLock { $0.versionNumber } }

    /// Whether the connection uses TLS.
    package var isEncrypted: Bool { session.withLock { $0.isEncrypted } }

    /// The process id that the other end has reported at the start.
    ///
    /// A pooler reports another one than that of the server's process.
    package var reportedProcessID: Int64 { session.withLock { $0.processID } }

    /// The encoding of the database, such as `UTF8`.
    package var encoding: String {
        session.withLock { $0.parameter("server_encoding") } ?? "unknown"
    }

    /// Performs a command and returns its rows.
    @discardableResult
    package func perform(_ command: Command) throws(PostgreSQLError) -> Rows {
        try session.withLock { session throws(PostgreSQLError) in
            let isOutside = !session.isInTransaction
            do throws(PostgreSQLError) {
                return try session.perform(command)
            } catch {
                // A pooler has given this client another connection to the server.
                guard error.state == .unknownStatement, isOutside else { throw error }
                session.forget(command)
                return try session.perform(command)
            }
        }
    }

    /// Performs commands in order, and waits for the database only once.
    ///
    /// All results are in memory until the last has arrived.
    ///
    /// - Returns: The rows of each.
    /// - Throws: The error of the first that fails. If a transaction is open, it has failed then.
    ///   Otherwise none of the commands has an effect.
    package func perform(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        try session.withLock { session throws(PostgreSQLError) in
            try session.perform(commands)
        }
    }

    /// Performs writes of the same statement as one statement, or as `perform` if it has none for
    /// several.
    ///
    /// - Returns: The rows of each.
    /// - Throws: The error of the first that fails.
    package func perform(joining commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        guard commands.count > 1, let joined = Command(joining: commands) else {
            return try perform(commands)
        }
        let rows = try perform(joined)
        let positions = try rows.positionsByNumber(in: rows.columnCount - 1)
        return commands.indices.map { rows.row(positions[Int64($0)]) }
    }

    /// Runs `body` in a transaction that begins with the statement `begin`, as below.
    package func transaction<T>(_ begin: SQL = "BEGIN", _ body: () throws -> T) throws -> T {
        try transaction(begin: { try perform(Command(begin)) }, body)
    }

    /// Runs `body` in a transaction that `begin` begins.
    ///
    /// - Throws: The errors of `body`, and `PostgreSQLError`. Then nothing is stored, unless the
    ///   error's kind is `unknownOutcome`.
    func transaction<T>(begin: () throws -> Void, _ body: () throws -> T) throws -> T {
        try begin()
        let value: T
        do {
            value = try body()
        } catch {
            // If this fails, the connection is lost, which also ends the transaction.
            _ = try? perform(Command("ROLLBACK"))
            throw error
        }
        do throws(PostgreSQLError) {
            try perform(Command("COMMIT"))
        } catch {
            guard error.kind == .unreachable else { throw error }
            throw PostgreSQLError(.unknownOutcome, message: error.message)
        }
        return value
    }

    /// Performs the statements of a script that is part of the program.
    package func performScript(_ sql: String) throws(PostgreSQLError) {
        try session.withLock { session throws(PostgreSQLError) in
            try session.performScript(sql)
        }
    }
}

extension Session {
    /// Performs the statements of a script, and waits until the server has responded.
    fileprivate func performScript(_ sql: String) throws(PostgreSQLError) {
        let result = unsafe functions.pointee.PQexec(connection, sql)
        guard let result = unsafe result else { throw lossError() }
        let outcome = unsafe QueryResult(result, library)
        guard outcome.isSuccess else { throw outcome.error(in: nil) }
    }

    /// Performs a command, and waits until the server has responded.
    fileprivate func perform(_ command: Command) throws(PostgreSQLError) -> Rows {
        try prepare(command)
        guard sendQuery(command) else { throw lossError() }
        return try Rows(takeResult(of: command))
    }

    /// Prepares the statement of a command, unless the server knows it.
    private func prepare(_ command: Command) throws(PostgreSQLError) {
        guard mustPrepare(command) else { return }
        guard sendPrepare(command) else { throw lossError() }
        do {
            _ = try takeResult(of: command)
        } catch {
            // A name is made of the text, so it is the same statement. But an open transaction has
            // failed.
            if error.state != .duplicateStatement || hasFailedTransaction {
                forget(command)
                throw error
            }
        }
    }

    /// Performs commands in order, and waits for their results at the end.
    fileprivate func perform(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        if commands.isEmpty { return [] }
        for command in commands { try prepare(command) }
        guard unsafe functions.pointee.PQenterPipelineMode(connection) == 1 else {
            throw lossError()
        }
        guard commands.allSatisfy({ sendQuery($0) }), sync() else {
            // What is sent next must not wait for the results of a part.
            defer { end() }
            throw lossError()
        }
        var found: [Rows] = []
        found.reserveCapacity(commands.count)
        var failure: PostgreSQLError?
        for command in commands {
            do {
                found.append(try Rows(takeResult(of: command)))
            } catch {
                // Those after it are skipped, and their errors only say so.
                failure = failure ?? error
            }
        }
        guard nextResult()?.isSync == true,
            unsafe functions.pointee.PQexitPipelineMode(connection) == 1
        else { throw failure ?? lossError() }
        if let failure { throw failure }
        return found
    }

    /// Waits for all results of what was sent last, and returns the first.
    private func takeResult(of command: Command) throws(PostgreSQLError) -> QueryResult {
        guard let first = nextResult() else { throw lossError() }
        while nextResult() != nil {}
        guard first.isSuccess else { throw first.error(in: command.sql) }
        return first
    }
}
