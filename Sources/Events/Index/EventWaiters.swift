import Rules
import System

/// The requests that wait until all events are in memory, each for a limited time.
///
/// Waiting blocks no thread. A thread of its own ends what waits for too long.
package final class EventWaiters: Sendable {
    /// A moment; see `wait(since:until:)`.
    package struct Moment: Equatable, Sendable {
        fileprivate var number: UInt64 = 0
    }

    private struct Waiter {
        let deadline: Int64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var moment = Moment()
        /// In the order of their arrival.
        var waiters: [Waiter] = []
        var isStopped = false
        var thread: POSIXThread?
    }

    /// The reason for which requests wait.
    package enum Purpose: Sendable {
        /// All events are being loaded.
        case events
        /// The events catch up with the log of changes.
        case changes

        /// The error for a request that has waited for too long.
        fileprivate var error: ModelError {
            switch self {
            case .events:
                .unavailable(reason: "The events are being loaded. Try again in a moment.")
            case .changes: .unavailable(reason: "The storage is busy. Try again in a moment.")
            }
        }
    }

    /// The longest time that a request waits for changes, in ms.
    private static let catchUpMilliseconds: Int64 = 2000

    private let milliseconds: Int64
    private let state = Mutex(State())
    private let signal = Semaphore()

    /// Creates an empty collection, whose requests wait for at most this time.
    package init(milliseconds: Int) {
        self.milliseconds = Int64(clamping: max(0, milliseconds))
    }

    /// The present moment.
    package var moment: Moment { state.withLock { $0.moment } }

    /// Returns when a request that begins to wait now has waited for too long, in ms of the
    /// monotonic clock.
    package func deadline(for purpose: Purpose = .events) -> Int64 {
        let longest = purpose == .events ? milliseconds : Self.catchUpMilliseconds
        return MonotonicClock.milliseconds() &+ longest
    }

    /// Returns once `resumeAll` has been called since a moment.
    ///
    /// - Throws: `ModelError.unavailable` at the deadline, and if the server shuts down.
    package func wait(
        since moment: Moment,
        until deadline: Int64,
        for purpose: Purpose = .events
    ) async throws {
        guard MonotonicClock.milliseconds() < deadline else { throw purpose.error }
        let isReady = await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Bool? in
                if state.isStopped { return false }
                if state.moment != moment { return true }
                // Without the thread, a request could wait forever.
                if state.thread == nil { state.thread = try? POSIXThread { [self] in run() } }
                guard state.thread != nil else { return false }
                state.waiters.append(Waiter(deadline: deadline, continuation: continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) } else { signal.signal() }
        }
        if !isReady { throw purpose.error }
    }

    /// Makes all waiting requests look at the events again.
    package func resumeAll() {
        let waiters = state.withLock { state in
            state.moment.number &+= 1
            if state.waiters.isEmpty { return [] as [Waiter] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: true) }
    }

    /// Ends all waits with an error, and the thread; blocks until that is done.
    package func stop() {
        let (waiters, thread) = state.withLock { state in
            defer { (state.waiters, state.thread) = ([], nil) }
            state.isStopped = true
            return (state.waiters, state.thread)
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
        signal.signal()
        thread?.join()
    }

    private func run() {
        while true {
            let now = MonotonicClock.milliseconds()
            let (expired, next, isStopped) = state.withLock { state in
                let expired = state.waiters.filter { $0.deadline <= now }
                state.waiters.removeAll { $0.deadline <= now }
                return (expired, state.waiters.map(\.deadline).min(), state.isStopped)
            }
            for waiter in expired { waiter.continuation.resume(returning: false) }
            if isStopped { return }
            signal.wait(atMostMilliseconds: next.map { max(1, $0 &- now) })
        }
    }
}
