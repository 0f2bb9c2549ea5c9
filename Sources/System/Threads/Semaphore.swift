import Dispatch

/// A counting semaphore between threads, initially 0.
package final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Ends a current wait or the next one.
    package func signal() {
        semaphore.signal()
    }

    /// Waits for a signal or until the time limit; it may also return early.
    ///
    /// The implementation uses the wall clock (sem_timedwait(3)), so the wait changes if the clock
    /// is set.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    package func wait(atMostMilliseconds milliseconds: Int64?) -> Bool {
        guard let milliseconds else {
            semaphore.wait()
            return true
        }
        return semaphore.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success
    }
}
