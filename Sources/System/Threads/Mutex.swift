#if THREAD_SANITIZER
import Glibc

/// Replaces `Synchronization.Mutex` under ThreadSanitizer, which doesn't see that one.
///
/// It is a futex inside a library that is not instrumented.
@safe
@usableFromInline
// A wrapper around the library's mutex that notifies the sanitizer could be checked. But each lock
// would request that mutex's type from the runtime, which orders all threads and hides races
// (Tests/Sanitizers/control).
package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    // Both are allocated because they must not move. Pointers are not Sendable. This one is safe
    // for all threads, because it never changes, and any thread can use the mutex
    // (pthread_mutex_lock(3)).
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_mutex_t>
    // This one is safe, because it never changes, and only the holder of the lock accesses the
    // value, which goes in and out as `sending`.
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    package init(_ initialValue: consuming sending Value) {
        unsafe lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(lock, nil)
        unsafe value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe value.initialize(to: initialValue)
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Calls `body` with exclusive access to the value, and returns its result.
    @usableFromInline
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}
#else
// Code that uses Mutex also needs its members.
@_exported import Synchronization

/// A value that one thread at a time can access.
@usableFromInline
package typealias Mutex = Synchronization.Mutex
#endif
