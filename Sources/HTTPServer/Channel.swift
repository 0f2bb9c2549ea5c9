import CLinux
import Glibc

/// The event that a channel's task waits for.
enum Interest {
    case nothing, reading, writing

    /// The epoll(7) events that end the wait; errors and hang-ups end every wait.
    var events: UInt32 {
        switch self {
        case .nothing: 0
        case .reading: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        case .writing: EPOLLOUT.rawValue
        }
    }
}

/// The reason why a wait ended.
enum Readiness {
    case ready, timedOut
    /// The loop is draining, and the wait was interruptible.
    case interrupted
    /// The response that waits is dropped.
    case givenUp
    /// The stream that waits was woken.
    case woken
    /// The socket has not accepted the whole response; the channel has the rest.
    case unsent
}

/// A non-blocking descriptor on an event loop, and the one task that waits for it.
///
/// Properties that are not private are only changed by its poller, on the loop's thread.
@safe final class Channel {
    let descriptor: Int32
    private let poller: Poller

    /// The registered interest; nil while the descriptor is not in the epoll set.
    var registered: Interest?
    private var waiter: UnsafeContinuation<Readiness, Never>?
    /// The deadline of the wait, in ms of the loop's clock.
    private(set) var deadline = Int64.max
    private(set) var isInterruptible = false
    /// Whether the loop may receive the bytes that the task waits for.
    private(set) var receivesAhead = false
    /// The bytes that the loop has received for the task.
    private var delivery: Inbox.Delivery?
    /// The rest of a response, which the task must send before the next one.
    private var unsent: UnsentResponse?

    init(descriptor: Int32, poller: Poller) {
        self.descriptor = descriptor
        self.poller = poller
    }

    var isWaiting: Bool { unsafe waiter != nil }

    /// Suspends the calling task until the descriptor is ready or the deadline has passed.
    ///
    /// The loop's tick is the precision of the deadline.
    func wait(
        for interest: Interest,
        until deadline: Int64,
        isInterruptible: Bool = false,
        receivesAhead: Bool = false
    ) async -> Readiness {
        if registered != interest { poller.register(self, for: interest) }
        self.deadline = deadline
        self.isInterruptible = isInterruptible
        self.receivesAhead = receivesAhead
        return await unsafe withUnsafeContinuation { continuation in unsafe waiter = continuation }
    }

    /// Ends the wait, and does nothing if no task waits.
    func resume(_ readiness: Readiness) {
        guard let waiter = unsafe waiter else { return }
        unsafe self.waiter = nil
        unsafe waiter.resume(returning: readiness)
    }

    /// Receives the bytes that the task waits for, if there is room.
    ///
    /// The wait ends separately.
    func receiveAhead(into inbox: inout Inbox) {
        delivery = inbox.receiveAhead(from: descriptor)
    }

    /// Returns what the loop has received for the task, and forgets it.
    func takeDelivery() -> Inbox.Delivery? {
        defer { delivery = nil }
        return delivery
    }

    /// Sends the head and the body of a response while the task waits for the next request.
    ///
    /// If the socket does not accept all of it, this ends the wait.
    func send(_ head: Span<UInt8>, _ body: [UInt8]) {
        assert(isWaiting, "no task would send the rest")
        do throws(ResponseSender.Disconnected) {
            unsent = try ResponseSender.send(head, body, to: descriptor)
            if unsent != nil { resume(.unsent) }
        } catch {
            // Ends the wait with a hang-up, so that no later response is taken for this one.
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Returns the rest of a response, and forgets it.
    func takeUnsent() -> UnsentResponse? {
        defer { unsent = nil }
        return unsent
    }
}
