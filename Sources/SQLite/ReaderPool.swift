import Glibc
import System

/// The read-only connections to a database: one for each bound thread, and a shared one.
package final class ReaderPool: Sendable {
    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private let readers: ThreadSpecific<Reader>
    private let shared: Mutex<Reader>

    /// Opens the shared reader.
    ///
    /// - Parameters:
    ///   - configuration: How each reader opens the database.
    ///   - commits: The counter of the writer, whose commits readers must see immediately.
    /// - Throws: `SQLiteError` if the database cannot be opened with all its settings, and
    ///   `ThreadError` if there is no thread-specific storage.
    package init(_ configuration: DatabaseConfiguration, commits: CommitCounter) throws {
        self.configuration = configuration
        self.commits = commits
        readers = try ThreadSpecific()
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        shared = Mutex(reader)
    }

    /// Opens a reader for the calling thread only.
    ///
    /// The thread must call `threadDidPause` and `threadDidSettle` when they apply. It must end, or
    /// call `unbindThread`, before the pool is destroyed.
    ///
    /// - Throws: `SQLiteError` if the database can't be opened, and `ThreadError` if there is no
    ///   thread-specific storage.
    package func bindThread() throws {
        guard readers.current == nil else { return }
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        try readers.keep(reader)
    }

    /// Closes the calling thread's reader.
    package func unbindThread() {
        readers.remove()
    }

    /// Runs `body` with the thread's own reader, or else the shared one.
    ///
    /// The transaction includes every acknowledged write.
    package func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        if let reader = readers.current { return try reader.read(body) }
        return try shared.withLock { shared in
            defer { shared.endTransaction() }
            return try shared.read(body)
        }
    }

    /// The version of the database after the latest commit of any process, nil if it is unknown.
    ///
    /// A thread without a reader waits while another thread uses the shared one.
    package var version: DatabaseVersion? {
        if let reader = readers.current { return reader.version }
        return shared.withLock { $0.version }
    }

    /// Closes the shared reader, so that the writer can close the last connection and clean up.
    ///
    /// A later read opens it again.
    package func close() {
        shared.withLock { shared in shared.close() }
    }

    /// Ends the thread's transaction if there were recent writes; otherwise keeps it for the next
    /// read.
    ///
    /// A bound thread must call it whenever it has finished its work.
    package func threadDidPause() {
        readers.current?.endTransactionAmidWrites()
    }

    /// Ends the thread's transaction.
    ///
    /// A bound thread must call it after some idle ms, and equally often while it is busy.
    package func threadDidSettle() {
        readers.current?.settle()
    }
}
