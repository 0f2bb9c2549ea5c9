import Glibc
import Threads

/// The read-only connections to a database: one for each bound thread, and a shared one.
package final class ReaderPool: Sendable {
    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private let key: ThreadKey
    private let shared: Mutex<Reader>

    /// Opens the shared reader.
    ///
    /// - Parameters:
    ///   - configuration: How each reader opens the database.
    ///   - commits: The counter of the writer, whose commits readers must see immediately.
    /// - Throws: `SQLiteError` if the database cannot be opened with all its settings.
    package init(_ configuration: DatabaseConfiguration, commits: CommitCounter) throws {
        self.configuration = configuration
        self.commits = commits
        key = try ThreadKey()
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        shared = Mutex(reader)
    }

    /// Opens a reader for the calling thread only.
    ///
    /// The thread must call `threadDidPause` and `threadDidSettle` when they apply. It must end, or
    /// call `unbindThread`, before the pool is destroyed.
    ///
    /// - Throws: `SQLiteError` if the database can't be opened or there is no thread-specific
    ///   storage.
    package func bindThread() throws {
        guard key.reader == nil else { return }
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        try key.keep(reader)
    }

    /// Closes the calling thread's reader.
    package func unbindThread() {
        key.removeReader()
    }

    /// Runs `body` with the thread's own reader, or else the shared one.
    ///
    /// The transaction includes every acknowledged write.
    package func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        if let reader = key.reader { return try reader.read(body) }
        return try shared.withLock { shared in
            defer { shared.endTransaction() }
            return try shared.read(body)
        }
    }

    /// The version of the database after the latest commit of any process, nil if it is unknown.
    package var version: DatabaseVersion? {
        if let reader = key.reader { return reader.version }
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
        key.reader?.endTransactionAmidWrites()
    }

    /// Ends the thread's transaction.
    ///
    /// A bound thread must call it after some idle ms, and equally often while it is busy.
    package func threadDidSettle() {
        key.reader?.settle()
    }
}

/// The reader of each thread, which exists until the thread ends.
private final class ThreadKey: Sendable {
    private let key: pthread_key_t

    init() throws(SQLiteError) {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key) { pointer in
            if let pointer = unsafe pointer { unsafe ThreadKey.release(pointer) }
        }
        guard code == 0 else {
            throw SQLiteError(code: .outOfMemory, message: "no thread-specific key is left")
        }
        self.key = key
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The calling thread's reader.
    var reader: Reader? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Reader>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Stores the reader of the calling thread, which must have none.
    func keep(_ reader: Reader) throws(SQLiteError) {
        let pointer = unsafe Unmanaged.passRetained(reader).toOpaque()
        guard unsafe pthread_setspecific(key, pointer) == 0 else {
            unsafe Self.release(pointer)
            throw SQLiteError(code: .outOfMemory, message: "no memory for a thread's reader")
        }
    }

    /// Releases the calling thread's reader.
    func removeReader() {
        guard let pointer = unsafe pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        unsafe Self.release(pointer)
    }

    private static func release(_ pointer: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Reader>.fromOpaque(pointer).release()
    }
}

/// A cache of what a reader has read, valid until the database changes.
package protocol SnapshotCache: AnyObject {
    /// Empties the cache, because the database has changed.
    func removeAll()
}
