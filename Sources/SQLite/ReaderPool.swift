import Glibc
import Threads

/// The read-only connections to a database: one for each thread that asked for its own, and one
/// that all other threads share.
package final class ReaderPool: Sendable {
    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private let key: ThreadKey
    private let shared: Mutex<Reader>

    /// Opens the shared reader.
    ///
    /// - Parameters:
    ///   - configuration: The file, and how each reader opens it.
    ///   - commits: The counter of the writer whose commits the readers must see at once.
    /// - Throws: `SQLiteError` if the database cannot be opened with all its settings.
    package init(_ configuration: DatabaseConfiguration, commits: CommitCounter) throws {
        self.configuration = configuration
        self.commits = commits
        key = try ThreadKey()
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        shared = Mutex(reader)
    }

    /// Opens a reader for the calling thread alone.
    ///
    /// Such a thread has to call `threadDidPause` and `threadDidSettle` at their times, and
    /// end, or call `unbindThread`, while the pool is there.
    ///
    /// - Throws: `SQLiteError` if the database or a place for the reader can't be had.
    package func bindThread() throws {
        guard key.reader == nil else { return }
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        try key.keep(reader)
    }

    /// Closes the calling thread's own reader.
    package func unbindThread() {
        key.removeReader()
    }

    /// Runs `body` on the calling thread with its own reader, or else with the shared one; inside
    /// a transaction that holds every write that has been answered.
    package func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        if let reader = key.reader { return try reader.read(body) }
        return try shared.withLock { shared in
            defer { shared.endTransaction() }
            return try shared.read(body)
        }
    }

    /// Closes the shared reader, so that the writer, which closes after it, can tidy up behind the
    /// last connection; a later read opens it again.
    package func close() {
        shared.withLock { shared in shared.close() }
    }

    /// To be called on a bound thread whenever it has done all that there was to do: ends its
    /// transaction if there have been writes of late, and else keeps it for the next read.
    package func threadDidPause() {
        key.reader?.endTransactionAmidWrites()
    }

    /// To be called on a bound thread when it has had nothing to do for some ms, and as often
    /// while it has: ends its transaction.
    package func threadDidSettle() {
        key.reader?.settle()
    }
}

/// The reader of each thread, which it keeps until the thread ends.
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

    /// That of the calling thread.
    var reader: Reader? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Reader>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Keeps a reader for the calling thread, which has none.
    func keep(_ reader: Reader) throws(SQLiteError) {
        let pointer = unsafe Unmanaged.passRetained(reader).toOpaque()
        guard unsafe pthread_setspecific(key, pointer) == 0 else {
            unsafe Self.release(pointer)
            throw SQLiteError(code: .outOfMemory, message: "no room for a thread's reader")
        }
    }

    /// Lets go of the calling thread's reader.
    func removeReader() {
        guard let pointer = unsafe pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        unsafe Self.release(pointer)
    }

    private static func release(_ pointer: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Reader>.fromOpaque(pointer).release()
    }
}
