import Glibc

/// A counting semaphore between threads, initially 0.
@safe
// Sendable without the compiler's check, because a pointer is not: this one never changes from
// `init` to `deinit`, and what is called with it may be called by several threads at once
// (sem_overview(7)).
package final class Semaphore: @unchecked Sendable {  // sem_post(3) is for any thread.
    // Allocated, because it must not move.
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        unsafe semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        unsafe semaphore.initialize(to: sem_t())
        _ = unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        _ = unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Lets one wait end, now or the next one.
    package func signal() {
        _ = unsafe sem_post(semaphore)
    }

    /// Waits for a signal, or until the time is over; it may also return for neither reason.
    package func wait(atMostMilliseconds milliseconds: Int64?) {
        guard let milliseconds else {
            _ = unsafe sem_wait(semaphore)
            return
        }
        // The only clock that this call knows is the one on the wall. Should someone set it back,
        // the wait lasts longer.
        var deadline = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &deadline)
        let nanoseconds = Int64(deadline.tv_nsec) &+ (milliseconds % 1000) &* 1_000_000
        deadline.tv_sec &+= Int(milliseconds / 1000 &+ nanoseconds / 1_000_000_000)
        deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
        _ = unsafe sem_timedwait(semaphore, &deadline)
    }
}
