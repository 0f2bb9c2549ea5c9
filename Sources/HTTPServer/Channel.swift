import CLinux

/// What a channel's task waits for.
enum Interest {
    case nothing, reading, writing
    /// That the client closes its side, whatever it sends before.
    case hangUp

    /// The epoll(7) events that end such a wait; errors and hang-ups end every wait.
    var events: UInt32 {
        switch self {
        case .nothing: 0
        case .reading: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        case .writing: EPOLLOUT.rawValue
        case .hangUp: EPOLLRDHUP.rawValue
        }
    }
}

/// How a wait ended.
enum Readiness {
    case ready, timedOut
    /// The loop is draining and the wait could be given up.
    case interrupted
    /// The response that waits is given up.
    case givenUp
    /// The stream that waits has more to send.
    case woken
}

/// A non-blocking descriptor on an event loop, and the one task that waits for it.
///
/// Its poller alone changes what is not private here, on the loop's thread.
@safe final class Channel {
    let descriptor: Int32
    private let poller: Poller

    /// What the descriptor is registered for; nil while it is not in the epoll set.
    var registered: Interest?
    private var waiter: UnsafeContinuation<Readiness, Never>?
    /// When the wait times out, in ms of the loop's clock.
    private(set) var deadline = Int64.max
    private(set) var isInterruptible = false

    init(descriptor: Int32, poller: Poller) {
        self.descriptor = descriptor
        self.poller = poller
    }

    var isWaiting: Bool { unsafe waiter != nil }

    /// Suspends the calling task until the descriptor is ready or the deadline has passed; a
    /// deadline is kept to within the loop's tick.
    func wait(
        for interest: Interest,
        until deadline: Int64,
        isInterruptible: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Readiness {
        if registered != interest { poller.register(self, for: interest) }
        self.deadline = deadline
        self.isInterruptible = isInterruptible
        return await unsafe withUnsafeContinuation { continuation in unsafe waiter = continuation }
    }

    /// Ends the wait; does nothing if no task waits.
    func resume(_ readiness: Readiness) {
        guard let waiter = unsafe waiter else { return }
        unsafe self.waiter = nil
        unsafe waiter.resume(returning: readiness)
    }
}
