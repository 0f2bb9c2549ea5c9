import Glibc

/// Why a server could not start: the call that failed and what the system said.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String
    /// Whether another program listens on the port.
    package let isPortTaken: Bool

    init(_ description: String) {
        self.description = description
        isPortTaken = false
    }

    /// Takes the system's words from `errno`.
    init(call: String) {
        isPortTaken = errno == EADDRINUSE
        let reason = unsafe String(cString: strerror(errno))
        description = "\(call): \(reason)"
    }
}
