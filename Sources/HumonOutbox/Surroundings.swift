import Foundation
import HumonClient

#if canImport(Network)
import Network
#endif

/// Notices that the network is back, and that the app comes to the foreground.
final class Surroundings: Sendable {
    #if canImport(Network)
    private let monitor = NWPathMonitor()
    #endif
    private let observer: Locked<any NSObjectProtocol>

    /// Begins to watch; elsewhere than on Apple's platforms, it never calls the function.
    init(_ didChange: @escaping @Sendable () -> Void) {
        // UIKit's name, without UIKit, whose classes are of the main actor.
        observer = Locked(
            NotificationCenter.default.addObserver(
                forName: Notification.Name("UIApplicationWillEnterForegroundNotification"),
                object: nil,
                queue: nil,
                using: { _ in didChange() }
            )
        )
        #if canImport(Network)
        monitor.pathUpdateHandler = { path in
            if path.status == .satisfied { didChange() }
        }
        monitor.start(queue: .global(qos: .utility))
        #endif
    }

    deinit {
        observer.withLock { NotificationCenter.default.removeObserver($0) }
        #if canImport(Network)
        monitor.cancel()
        #endif
    }
}
