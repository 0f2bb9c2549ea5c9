import PostgreSQL
import System

/// The connections of functions that block, such as an import, which are opened on demand.
final class BlockingConnections: Sendable {
    private let open: @Sendable () throws -> BlockingConnection
    /// The connections that no function is using.
    private let idle = Mutex<[BlockingConnection]>([])

    /// Creates the owner of connections that `open` opens.
    init(open: @escaping @Sendable () throws -> BlockingConnection) {
        self.open = open
    }

    /// Runs `body` with a connection of its own.
    ///
    /// A connection is used again unless it may be lost.
    func withConnection<T>(_ body: (BlockingConnection) throws -> T) throws -> T {
        let known = idle.withLock { $0.popLast() }
        let connection = try known ?? open()
        do {
            let value = try body(connection)
            idle.withLock { $0.append(connection) }
            return value
        } catch {
            let isKept = !(error is PostgreSQLError) && connection.isIdle
            if isKept { idle.withLock { $0.append(connection) } }
            throw error
        }
    }

    /// Runs `body` in a transaction.
    ///
    /// - Parameters:
    ///   - begin: The statement that begins the transaction.
    ///   - attempts: How often it is run at most, if the database demands its repetition.
    ///   - body: The function that uses the transaction; if it throws, nothing is changed.
    /// - Throws: What `body` throws, and `PostgreSQLError`.
    /// - Returns: What `body` returns.
    func withTransaction<T>(
        _ begin: SQL,
        attempts: Int,
        _ body: (BlockingConnection) throws -> T
    ) throws -> T {
        var rest = attempts
        var hasBegun = false
        var areNew = idle.withLock(\.isEmpty)
        while true {
            do {
                return try withConnection { connection in
                    try connection.transaction(begin) {
                        hasBegun = true
                        return try body(connection)
                    }
                }
            } catch let error as PostgreSQLError {
                if !hasBegun, !areNew {
                    // The database may have been restarted since the connections were last used.
                    close()
                    areNew = true
                    continue
                }
                rest -= 1
                guard error.state?.invitesRepetition == true, rest > 0 else { throw error }
            }
        }
    }

    /// Closes the connections that no function is using.
    func close() {
        idle.withLock { $0 = [] }
    }
}
