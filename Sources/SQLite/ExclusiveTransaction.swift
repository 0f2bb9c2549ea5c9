import System

/// A transaction during which all writes of other processes fail at once; reads go on.
///
/// Unless it is committed, it changes nothing, and ends with this object or with the process.
/// Belongs to one thread.
package final class ExclusiveTransaction {
    private let lock: WriterLock
    private var open: Connection?

    /// Waits for running writes, and begins the transaction.
    ///
    /// - Throws: `SQLiteError`, with the code `triggerConstraint` if another process has one.
    package init(_ configuration: DatabaseConfiguration) throws {
        let lock = try WriterLock(configuration)
        // Before it waits, so that later writes don't delay it.
        try lock.rejectOthers()
        open = try lock.withLock {
            let connection = try lock.openDatabase(configuration)
            try connection.run("BEGIN IMMEDIATE")
            lock.retain()
            return connection
        }
        self.lock = lock
    }

    /// The connection, until the end of the transaction.
    package var connection: Connection {
        get throws {
            guard let open else {
                throw SQLiteError(code: .misuse, message: "the transaction has ended")
            }
            return open
        }
    }

    /// Makes the changes durable, and ends the transaction.
    package func commit() throws {
        try connection.run("COMMIT")
        end()
    }

    private func end() {
        guard let connection = open else { return }
        // These fail only for a closed connection.
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
        if lock.letGo() { try? connection.keepWAL() }
        open = nil
        lock.release()
        lock.acceptOthers()
    }

    deinit { end() }
}
