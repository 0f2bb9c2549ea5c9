import CLinux
import Glibc

/// A wait for watched descriptors on a thread that serves no clients.
///
/// Belongs to its thread, except for `wakeUp`.
@safe
package final class WatchLoop: DescriptorWatcher {
    private static let eventsAtOnce = 64

    package let descriptors: WatchedDescriptors
    private let epoll: Int32
    private let wakeUp: WakeUp

    /// Creates a loop that `wakeUp` ends the waits of; nil if the system can't.
    package init?(wakeUp: WakeUp) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
        self.epoll = epoll
        self.wakeUp = wakeUp
        descriptors = WatchedDescriptors(epoll: epoll)
        guard descriptors.watch(wakeUp.descriptor, for: .reading, self) else { return nil }
    }

    deinit {
        close(epoll)
    }

    package func descriptorIsReady(_ descriptor: Int32) {
        wakeUp.clear()
    }

    /// Waits until something is ready or the time is over, and notifies the watchers.
    package func wait(atMostMilliseconds milliseconds: Int32) {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.eventsAtOnce)
        let capacity = Int32(Self.eventsAtOnce)
        let count = Int(unsafe epoll_wait(epoll, &events, capacity, milliseconds))
        guard count > 0 else { return }
        for index in 0..<count { descriptors.dispatch(unsafe events[index].data.fd) }
    }

    /// Ends the loop's own watch, which refers to the loop.
    package func end() {
        descriptors.unwatch(wakeUp.descriptor)
    }
}
