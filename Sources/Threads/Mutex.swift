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
//
// Unchecked, because pointers are not Sendable. It is safe, because they never change, any thread
// can use the mutex (pthread_mutex_lock(3)), and only the holder of the lock accesses the value,
// which goes in and out as `sending`.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // Its lock guards it.
    // Allocated because they must not move.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

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

    /// Calls `body` as `withLock` does, or returns nil if another thread has the lock.
    @usableFromInline
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
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
