import CLinux
import Glibc

/// An eventfd that ends a wait on another thread (eventfd(2)).
package struct WakeUp: Sendable {
    package let descriptor: Int32

    /// Opens the descriptor; nil, with `errno` set, if the system can't.
    package init?() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    /// Makes the descriptor readable.
    package func signal() {
        eventfd_write(descriptor, 1)
    }

    /// Makes the descriptor unreadable again.
    package func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}
