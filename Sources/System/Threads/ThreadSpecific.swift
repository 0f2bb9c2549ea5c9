package import Glibc

/// An object of each thread, which is released when the thread ends
/// (<https://man7.org/linux/man-pages/man3/pthread_key_create.3p.html>).
package final class ThreadSpecific<Object: AnyObject>: Sendable {
    @usableFromInline
    let key: pthread_key_t

    /// Creates a place for the object of each thread; throws `ThreadError` if none is left.
    package init() throws(ThreadError) {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key) { pointer in
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        guard code == 0 else {
            throw ThreadError(description: "no thread-specific key is left")
        }
        self.key = key
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The calling thread's object.
    @inlinable
    package var current: Object? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Keeps the object of the calling thread, which must have none.
    ///
    /// Throws `ThreadError` if there is no memory for it.
    package func keep(_ object: Object) throws(ThreadError) {
        let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
        guard unsafe pthread_setspecific(key, pointer) == 0 else {
            unsafe Unmanaged<Object>.fromOpaque(pointer).release()
            throw ThreadError(description: "no memory for an object of a thread")
        }
    }

    /// Removes and returns the calling thread's object.
    @discardableResult
    package func remove() -> Object? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        pthread_setspecific(key, nil)
        return unsafe Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }
}
