import Foundation
import HumonClient

#if canImport(Network)
import Network
#endif

/// Returns a stream with a value whenever the network is back or the app comes to the foreground.
///
/// Elsewhere than on Apple's platforms, it has no values.
func changesAround() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        // UIKit's name, without UIKit, whose classes are of the main actor.
        let observer = Locked(
            NotificationCenter.default.addObserver(
                forName: Notification.Name("UIApplicationWillEnterForegroundNotification"),
                object: nil,
                queue: nil,
                using: { _ in continuation.yield() }
            )
        )
        #if canImport(Network)
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { if $0.status == .satisfied { continuation.yield() } }
        monitor.start(queue: .global(qos: .utility))
        #endif
        continuation.onTermination = { _ in
            observer.withLock { NotificationCenter.default.removeObserver($0) }
            #if canImport(Network)
            monitor.cancel()
            #endif
        }
    }
}
