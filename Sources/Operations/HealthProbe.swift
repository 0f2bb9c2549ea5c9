import Glibc
package import Rules
package import Settings

/// Checks whether the running server on this machine is ready.
///
/// It asks `/readyz` on the admin port. If that port is off, any response to `/` with a status
/// below 500 counts.
package struct HealthProbe {
    private let host: String
    private let port: UInt16
    private let path: String

    /// How long it waits for each step, in s.
    private static let patience = 3
    /// The maximum size of a response, in bytes.
    private static let maximumBytes = 64 * 1024
    /// The number of characters of a response that a message quotes.
    private static let quotedCharacters = 300

    /// Creates a probe of the server with these settings.
    package init(_ configuration: Configuration) {
        if let port = configuration.adminPort {
            host = Configuration.localAddress(of: configuration.adminHost)
            (self.port, path) = (port, "/readyz")
        } else {
            host = Configuration.localAddress(of: configuration.host)
            (port, path) = (configuration.port, "/")
        }
    }

    /// Blocks until the server has answered, 9 s at most.
    ///
    /// - Throws: `OperatorError` unless the server is ready.
    package func check() throws(OperatorError) {
        let response = try response()
        let status = response.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap {
            Int($0)
        }
        guard response.hasPrefix("HTTP/1."), let status else {
            throw OperatorError("The response from \(place) is not Humon's. Check ADMIN_PORT.")
        }
        let isReady = path == "/" ? status < 500 : status == 200
        guard !isReady else { return }
        let body = response.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first
        let reason = body.map { String($0.prefix(Self.quotedCharacters)) } ?? "status \(status)"
        throw OperatorError("The server at \(place) is not ready: \(reason)")
    }

    private var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private func response() throws(OperatorError) -> String {
        let descriptor = try connection()
        defer { close(descriptor) }
        let request = "GET \(path) HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n"
        let bytes = Array(request.utf8)
        let sent = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard sent == bytes.count else { throw failure() }
        var response: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while response.count < Self.maximumBytes, ContinuousClock.now < deadline {
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            guard count >= 0 else { throw failure() }
            guard count > 0 else { return String(decoding: response, as: UTF8.self) }
            response += piece.prefix(count)
        }
        throw OperatorError("The response from \(place) does not end. Check ADMIN_PORT.")
    }

    private func connection() throws(OperatorError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &addresses) == 0,
            let address = unsafe addresses?.pointee
        else { throw OperatorError("\(host) is not an address of this machine.") }
        defer { unsafe freeaddrinfo(addresses) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { throw failure() }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        // On Linux, the time limit for sending also holds for connecting (socket(7)).
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        guard unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            defer { close(descriptor) }
            throw failure()
        }
        return descriptor
    }

    private func failure() -> OperatorError {
        if [EAGAIN, EINPROGRESS].contains(errno) {
            return OperatorError("No response from \(place) within \(Self.patience) s.")
        }
        let reason = unsafe String(cString: strerror(errno))
        return OperatorError("No server answers at \(place): \(reason).")
    }
}
