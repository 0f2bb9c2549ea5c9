import Glibc

/// The connections of each thread that is bound to a database.
final class ThreadGroups: Sendable {
    private let key: pthread_key_t

    init() throws(PostgreSQLError) {
        var key = pthread_key_t()
        guard unsafe pthread_key_create(&key, nil) == 0 else {
            throw PostgreSQLError(.unreachable, message: "no thread-specific key is left")
        }
        self.key = key
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The calling thread's connections.
    var current: LineGroup? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<LineGroup>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Stores the connections of the calling thread, which must have none.
    func keep(_ group: LineGroup) throws(PostgreSQLError) {
        let pointer = unsafe Unmanaged.passRetained(group).toOpaque()
        guard unsafe pthread_setspecific(key, pointer) == 0 else {
            unsafe Unmanaged<LineGroup>.fromOpaque(pointer).release()
            throw PostgreSQLError(.unreachable, message: "no memory for a thread's connections")
        }
    }

    /// Closes the calling thread's connections.
    func removeCurrent() {
        guard let pointer = unsafe pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        unsafe Unmanaged<LineGroup>.fromOpaque(pointer).takeRetainedValue().close()
    }
}
