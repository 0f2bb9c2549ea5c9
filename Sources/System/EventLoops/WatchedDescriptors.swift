import CLinux
import Glibc

/// An object that is notified when a watched descriptor is ready.
package protocol DescriptorWatcher: AnyObject {
    /// Called on the loop's thread when the descriptor is ready, has failed or was closed by its
    /// peer.
    func descriptorIsReady(_ descriptor: Int32)
}

/// The descriptors in a loop's epoll set that belong to others than the loop (epoll(7)).
///
/// So a database's connections wait together with the connections of clients. Belongs to its loop's
/// thread.
@safe
package final class WatchedDescriptors {
    /// The events that a descriptor is watched for.
    package enum Interest: Sendable {
        case reading, readingAndWriting

        fileprivate var events: UInt32 {
            switch self {
            case .reading: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
            case .readingAndWriting:
                EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLOUT.rawValue
            }
        }
    }

    private struct Watched {
        let watcher: any DescriptorWatcher
        let interest: Interest
    }

    private let epoll: Int32
    private var watched: [Int32: Watched] = [:]
    /// The tasks that have paused; nil if the system has no descriptor for them.
    private(set) lazy var pausedTasks = PausedTasks(self)
    /// The number of tasks that have paused.
    package var pausedCount: Int { watched.isEmpty ? 0 : pausedTasks?.count ?? 0 }

    /// Creates an empty set for a loop with this epoll descriptor, which stays the loop's.
    package init(epoll: Int32) {
        self.epoll = epoll
    }

    /// Watches a descriptor; false if the system has no memory for it.
    ///
    /// The watcher must call `unwatch` before it closes the descriptor.
    package func watch(
        _ descriptor: Int32,
        for interest: Interest,
        _ watcher: any DescriptorWatcher
    ) -> Bool {
        let known = watched[descriptor]
        if let known, known.interest == interest, known.watcher === watcher { return true }
        let operation = known == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        guard control(operation, descriptor, events: interest.events) else { return false }
        watched[descriptor] = Watched(watcher: watcher, interest: interest)
        return true
    }

    /// Stops watching a descriptor.
    package func unwatch(_ descriptor: Int32) {
        guard watched.removeValue(forKey: descriptor) != nil else { return }
        // It fails if the descriptor was closed, which also removes it.
        _ = control(EPOLL_CTL_DEL, descriptor, events: 0)
    }

    /// Notifies the watcher of a ready descriptor, if it has one.
    package func dispatch(_ descriptor: Int32) {
        watched[descriptor]?.watcher.descriptorIsReady(descriptor)
    }

    private func control(_ operation: Int32, _ descriptor: Int32, events: UInt32) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.fd = descriptor
        return unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}

extension WatchedDescriptors {
    /// The set of the calling thread's loop; nil if it runs none.
    package static var current: WatchedDescriptors? { sets?.current }

    /// Makes this the set of the calling thread, until `unbind`.
    ///
    /// If the system has no storage for threads left, the thread has none.
    package func bindToCurrentThread() {
        try? Self.sets?.keep(self)
    }

    /// Ends `bindToCurrentThread`.
    package static func unbindCurrentThread() {
        sets?.remove()
    }

    private static let sets = try? ThreadSpecific<WatchedDescriptors>()
}
