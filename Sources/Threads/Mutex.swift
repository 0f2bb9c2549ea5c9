#if THREAD_SANITIZER
import Glibc

/// Stands in for `Synchronization.Mutex` under ThreadSanitizer, which does not see that one: it is
/// a futex inside a library that is not instrumented.
@safe
@usableFromInline
// Sendable without the compiler's check, because pointers are not: these never change, the first is
// for any thread (pthread_mutex_lock(3)), and what the second points to is touched by who holds the
// lock alone, and goes in and out as `sending`. One that holds the library's mutex and tells the
// sanitizer of each lock could be checked; but then each lock asks the runtime for that mutex's
// type, which orders all threads that lock anything, and hides races (Tests/Sanitizers/control).
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // The lock guards it.
    // Allocated, because they must not move.
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

    /// Calls `body` with the value while no one else has it, and returns what it returns.
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
// Whoever says Mutex needs its members, too.
@_exported import Synchronization

/// A value that one thread at a time can reach.
@usableFromInline
package typealias Mutex = Synchronization.Mutex
#endif
