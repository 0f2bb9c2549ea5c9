import Foundation

#if canImport(Network)
import Network
#endif
#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

/// Notices that the network is back, and that the app comes to the foreground.
final class Surroundings: Sendable {
    #if canImport(Network)
    private let monitor = NWPathMonitor()
    #endif
    #if canImport(UIKit) && !os(watchOS)
    private let foreground: Task<Void, Never>
    #endif

    /// Begins to watch; elsewhere than on Apple's platforms, it never calls the function.
    init(_ didChange: @escaping @Sendable () -> Void) {
        #if canImport(UIKit) && !os(watchOS)
        foreground = Task { @MainActor in
            let name = UIApplication.willEnterForegroundNotification
            for await _ in NotificationCenter.default.notifications(named: name) { didChange() }
        }
        #endif
        #if canImport(Network)
        monitor.pathUpdateHandler = { path in
            if path.status == .satisfied { didChange() }
        }
        monitor.start(queue: .global(qos: .utility))
        #endif
    }

    deinit {
        #if canImport(Network)
        monitor.cancel()
        #endif
        #if canImport(UIKit) && !os(watchOS)
        foreground.cancel()
        #endif
    }
}
