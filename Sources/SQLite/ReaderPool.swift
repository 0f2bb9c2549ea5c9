import Glibc
import Threads

/// The read-only connections to a database: one for each thread that asked for its own, and one
/// that all other threads share.
package final class ReaderPool: Sendable {
    /// A reader that is kept alive here and used elsewhere.
    // Sendable without the compiler's check, because a Reader is for one thread at a time: each is
    // used by the one that it was made for, which finds it by its thread-specific pointer, and the
    // shared one only inside its mutex; the pool keeps them alive and lets go when nobody can use
    // the pool any more.
    private struct Owned: @unchecked Sendable {  // One thread uses it, or its mutex's holder.
        let reader: Reader
    }

    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private let key: ThreadKey
    private let bound = Mutex<[Owned]>([])
    private let shared: Mutex<Owned>

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
        shared = Mutex(Owned(reader: reader))
    }

    /// Opens a reader for the calling thread alone.
    ///
    /// Such a thread has to call `threadDidPause` and `threadDidSettle` at their times, and
    /// `unbindThread` before it ends.
    package func bindThread() throws {
        guard key.reader == nil else { return }
        let reader = Reader(configuration, commits: commits)
        try reader.open()
        let owned = Owned(reader: reader)
        bound.withLock { $0.append(owned) }
        key.reader = reader
    }

    /// Closes the calling thread's own reader.
    package func unbindThread() {
        guard let reader = key.reader else { return }
        key.reader = nil
        reader.close()
        bound.withLock { $0.removeAll { $0.reader === reader } }
    }

    /// Runs `body` on the calling thread with its own reader, or else with the shared one; inside
    /// a transaction that holds every write that has been answered.
    package func read<T: Sendable>(_ body: (Connection) throws -> T) throws -> T {
        if let reader = key.reader { return try reader.read(body) }
        return try shared.withLock { shared in
            defer { shared.reader.endTransaction() }
            return try shared.reader.read(body)
        }
    }

    /// Closes the shared reader, so that the writer, which closes after it, can tidy up behind the
    /// last connection; a later read opens it again.
    package func close() {
        shared.withLock { shared in shared.reader.close() }
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
        guard unsafe pthread_key_create(&key, nil) == 0 else {
            throw SQLiteError(code: .outOfMemory, message: "no thread-specific key is left")
        }
        self.key = key
    }

    deinit {
        pthread_key_delete(key)
    }

    /// It is kept alive by the pool that the key belongs to.
    var reader: Reader? {
        get {
            guard let pointer = unsafe pthread_getspecific(key) else { return nil }
            return unsafe Unmanaged<Reader>.fromOpaque(pointer).takeUnretainedValue()
        }
        set {
            let pointer = unsafe newValue.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            _ = unsafe pthread_setspecific(key, pointer)
        }
    }
}
