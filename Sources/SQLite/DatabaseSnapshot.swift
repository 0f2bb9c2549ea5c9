import System

/// Reads a database in one transaction, even on a read-only file system.
package enum DatabaseSnapshot {
    /// Runs `body` with a connection that sees what was committed before the call.
    ///
    /// The WAL can't restart until it returns. In a folder that is not writable, it changes
    /// nothing.
    ///
    /// - Throws: The errors of `body`, and `SQLiteError` if the database is not in WAL mode, if its
    ///   WAL can't be read without writing, or if a database that is read without locks changes in
    ///   the meantime. Results of `body` must not be used then.
    package static func read<T>(
        _ configuration: DatabaseConfiguration,
        _ body: (Connection) throws -> T
    ) throws -> T {
        let path = try DatabaseFile.checkedPath(configuration.path)
        try DatabaseFile.checkPlace(path)
        // Otherwise the snapshot would be of another database than the server's. Closing it would
        // also drop this process's locks on the WAL's index.
        try WriterLock.checkHolders(configuration)
        guard DatabaseFile.isInReadOnlyFolder(path) else {
            let connection = try Connection(configuration, .queryOnly)
            try connection.run("BEGIN")
            return try body(connection)
        }
        // No WAL or index can be created there; the file is read as it is.
        let before = DatabaseFile.hasWAL(path) ? nil : DatabaseFile.stamp(path)
        do {
            let connection = try Connection(configuration, .inspect)
            try connection.run("BEGIN")
            let result = try body(connection)
            // Without a WAL, there are no locks either.
            guard before == nil || DatabaseFile.stamp(path) == before else {
                throw SQLiteError(code: .busy, message: "another process changed it meanwhile")
            }
            return result
        } catch let error as SQLiteError where error.code.primary == .cannotOpen {
            throw SQLiteError(
                code: .cannotOpen,
                message: """
                    the folder of "\(configuration.path)" is not writable (\(error.message)). \
                    Copy the database, and its -wal if there is one, to a writable folder, and \
                    set DATABASE_URL to the copy
                    """
            )
        }
    }
}
