import CLinux
import Glibc

/// An eventfd that ends a wait on another thread (eventfd(2)).
struct WakeUp: Sendable {
    let descriptor: Int32

    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if descriptor < 0 { throw ServerError(call: "eventfd") }
    }

    /// Makes the descriptor readable.
    func signal() {
        eventfd_write(descriptor, 1)
    }

    /// Makes the descriptor unreadable again.
    func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}
