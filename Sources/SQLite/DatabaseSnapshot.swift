/// Reads a database in one transaction, also where nothing can be written, such as on a file system
/// that is mounted read-only.
package enum DatabaseSnapshot {
    /// Runs `body` with a connection that sees what was committed when it began.
    ///
    /// Until it ends the WAL can't begin anew. Nothing is changed, also not beside the database,
    /// where its folder can't be written to.
    ///
    /// - Throws: What `body` throws, and `SQLiteError`: if the database is not one in WAL mode; if
    ///   it has a WAL that can't be read without writing; and if a database that is read without
    ///   locks changes meanwhile. What `body` made of it must not be used then.
    package static func read<T>(
        _ configuration: DatabaseConfiguration,
        _ body: (Connection) throws -> T
    ) throws -> T {
        let path = try DatabaseFile.checkedPath(configuration.path)
        try DatabaseFile.checkPlace(path)
        // It would be the snapshot of another database than the server's, and closing it would end
        // the locks that this process has on the index of the WAL.
        try WriterLock.checkHolders(configuration)
        guard DatabaseFile.isInReadOnlyFolder(path) else {
            let connection = try Connection(configuration, .queryOnly)
            try connection.run("BEGIN")
            return try body(connection)
        }
        // No WAL can be made there, nor the index of one; it is read as it is.
        let before = DatabaseFile.hasWAL(path) ? nil : DatabaseFile.stamp(path)
        do {
            let connection = try Connection(configuration, .inspect)
            try connection.run("BEGIN")
            let result = try body(connection)
            // Without a WAL there are no locks either.
            guard before == nil || DatabaseFile.stamp(path) == before else {
                throw SQLiteError(code: .busy, message: "another process has changed it meanwhile")
            }
            return result
        } catch let error as SQLiteError where error.code.primary == .cannotOpen {
            throw SQLiteError(
                code: .cannotOpen,
                message: """
                    the folder of "\(configuration.path)" can't be written to \
                    (\(error.message)). Copy the database, and its -wal if there is one, to a \
                    folder that can, and name that copy in DATABASE_URL
                    """
            )
        }
    }
}
