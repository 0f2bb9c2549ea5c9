import Glibc

/// The reason why a server could not start: the failed call and the system's error message.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String
    /// Whether another program is listening on the port.
    package let isPortTaken: Bool

    init(_ description: String) {
        self.description = description
        isPortTaken = false
    }

    /// Uses the system's error message for `errno`.
    init(call: String) {
        isPortTaken = errno == EADDRINUSE
        let reason = unsafe String(cString: strerror(errno))
        description = "\(call): \(reason)"
    }
}
