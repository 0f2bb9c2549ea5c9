import Glibc

/// Why a server could not start: the call that failed and what the system said.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Takes the system's words from `errno`.
    init(call: String) {
        let reason = unsafe String(cString: strerror(errno))
        description = "\(call): \(reason)"
    }
}
