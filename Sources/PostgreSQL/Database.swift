import Threads

/// The connections of a server to its database.
package final class Database: Sendable {
    private let configuration: DatabaseConfiguration
    private let connection = Mutex<BlockingConnection?>(nil)

    /// Creates the connections' owner, which connects when it is used.
    package init(_ configuration: DatabaseConfiguration) throws {
        self.configuration = configuration
    }

    /// Performs a command that changes nothing.
    package func read(_ command: Command) async throws(PostgreSQLError) -> Rows {
        try perform { connection throws(PostgreSQLError) in try connection.perform(command) }
    }

    /// Performs commands that change nothing, sent together, and returns the rows of each.
    ///
    /// With `snapshot`, all of them see the same moment.
    package func read(
        _ commands: [Command],
        snapshot: Bool = false
    ) async throws(PostgreSQLError) -> [Rows] {
        let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return try perform { connection throws(PostgreSQLError) in
            if snapshot { try connection.perform(begin) }
            defer { if snapshot { _ = try? connection.perform(Command("COMMIT")) } }
            var results: [Rows] = []
            for command in commands { results.append(try connection.perform(command)) }
            return results
        }
    }

    /// Performs commands in one transaction, and returns the rows of each when they are stored.
    ///
    /// - Throws: The first command's error. Nothing is stored then, unless its kind is
    ///   `unknownOutcome`.
    package func write(_ commands: [Command]) async throws(PostgreSQLError) -> [Rows] {
        try perform { connection throws(PostgreSQLError) in
            try connection.performTransaction(commands)
        }
    }

    /// Opens connections for the calling thread, which is the loop of `EventLoops`.
    package func bindThread() throws {}

    /// Sends what the calling thread has read since it last waited.
    package func threadDidPause() {}

    /// Tells the database that the calling thread is idle.
    package func threadDidSettle() {}

    /// Closes the connections of the calling thread.
    package func unbindThread() {}

    /// The number of writes that wait.
    package var queuedWrites: Int { 0 }

    /// Finishes the waiting writes and closes all connections; blocks until that is done.
    package func close() {
        connection.withLock { $0 = nil }
    }

    private func perform<T: Sendable>(
        _ body: (BlockingConnection) throws(PostgreSQLError) -> T
    ) throws(PostgreSQLError) -> T {
        do {
            return try connection.withLock { connection in
                let open = try connection ?? BlockingConnection(url: configuration.url)
                connection = open
                do throws(PostgreSQLError) {
                    return try body(open)
                } catch {
                    if error.kind != .rejected { connection = nil }
                    throw error
                }
            }
        } catch let error as PostgreSQLError {
            throw error
        } catch {
            throw PostgreSQLError(.unreachable, message: "\(error)")
        }
    }
}

/// The address and the limits of a database.
package struct DatabaseConfiguration: Sendable {
    package var url: ConnectionURL
    /// The number of connections of each loop for reads, from 1 to 16.
    package var readers = 2
    /// The longest time that a statement may take, in ms.
    package var timeoutMilliseconds = 5000
    /// Whether statements are prepared under names, which pgbouncer supports from version 1.21.
    package var preparesStatements = true
    /// The greatest number of waiting writes.
    package var queuedWrites = 10_000
    /// The greatest number of writes in a transaction.
    package var batchedWrites = 512
    /// The size of the values in a transaction above which no further write joins it, in bytes.
    package var batchedBytes = 1 << 20

    package init(url: ConnectionURL) {
        self.url = url
    }
}
