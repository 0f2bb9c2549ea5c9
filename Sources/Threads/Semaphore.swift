import Dispatch

/// A counting semaphore between threads, initially 0.
package final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Lets one wait end, now or the next one.
    package func signal() {
        semaphore.signal()
    }

    /// Waits for a signal, or until the time is over; it may also return for neither reason.
    ///
    /// What it waits by underneath is the clock on the wall (sem_timedwait(3)). Should someone set
    /// it, the wait ends sooner or later.
    package func wait(atMostMilliseconds milliseconds: Int64?) {
        guard let milliseconds else { return semaphore.wait() }
        _ = semaphore.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    }
}
