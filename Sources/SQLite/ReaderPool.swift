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
    /// `unbindThread` before it ends.
    package func bindThread() throws {
        guard key.reader == nil else { return }
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        key.reader = reader
    }

    /// Closes the calling thread's own reader.
    package func unbindThread() {
        key.reader = nil
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

/// The reader of the current thread.
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

    private static func release(_ pointer: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Reader>.fromOpaque(pointer).release()
    }

    /// It is kept until there is another one, or the thread ends.
    var reader: Reader? {
        get {
            guard let pointer = unsafe pthread_getspecific(key) else { return nil }
            return unsafe Unmanaged<Reader>.fromOpaque(pointer).takeUnretainedValue()
        }
        set {
            let old = unsafe pthread_getspecific(key)
            let new = unsafe newValue.map { unsafe Unmanaged.passRetained($0).toOpaque() }
            // Where there is no memory for the new one, the old one stays.
            let isSet = unsafe pthread_setspecific(key, new) == 0
            if let loser = unsafe isSet ? old : new { unsafe Self.release(loser) }
        }
    }
}
