import CLinux
import Glibc

/// A bound, listening, non-blocking TCP socket.
struct ListeningSocket {
    /// The maximum number of pending connections; the system caps it (net.core.somaxconn).
    private static let backlog: Int32 = 4096
    /// The maximum of unsent bytes that the system buffers for a connection.
    private static let unsentBytes: Int32 = 32 * 1024

    let descriptor: Int32
    let port: UInt16

    init(_ endpoint: Endpoint) throws(ServerError) {
        switch endpoint {
        case .address(let host, let port): try self.init(host: host, port: port)
        case .descriptor(let descriptor): try self.init(descriptor: descriptor)
        }
    }

    /// Takes over a listening socket.
    private init(descriptor: Int32) throws(ServerError) {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let code = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        guard code == 0, isListening != 0 else {
            throw ServerError(
                "Descriptor \(descriptor), passed by LISTEN_FDS, is not a listening stream socket."
            )
        }
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw ServerError(call: "fcntl") }
        self.descriptor = descriptor
        port = try Self.boundPort(of: descriptor)
        limitUnsentBytes()
    }

    /// Binds the first address of `host`; with port 0, the system chooses one.
    private init(host: String, port: UInt16) throws(ServerError) {
        descriptor = try Self.bind(host: host, port: port)
        guard listen(descriptor, Self.backlog) == 0 else {
            let error = ServerError(call: "Can't listen on \(host):\(port)")
            close(descriptor)
            throw error
        }
        self.port = try Self.boundPort(of: descriptor)
        limitUnsentBytes()
    }

    /// Limits the unsent bytes that the system buffers for clients that don't read.
    ///
    /// It sets tcp(7), `TCP_NOTSENT_LOWAT`. A limit on the whole send buffer would make distant
    /// clients slow, too. Sockets without TCP don't have this option, and the call fails.
    private func limitUnsentBytes() {
        var limit = Self.unsentBytes
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &limit, size)
    }

    /// Throws the error that would prevent a server from listening; doesn't listen.
    static func check(host: String, port: UInt16) throws(ServerError) {
        close(try bind(host: host, port: port))
    }

    private static func bind(host: String, port: UInt16) throws(ServerError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &addresses)
        guard code == 0, let address = unsafe addresses else {
            throw ServerError("\(host): \(unsafe String(cString: gai_strerror(code)))")
        }
        defer { unsafe freeaddrinfo(address) }
        return try unsafe bind(address.pointee, name: "\(host):\(port)")
    }

    private static func bind(_ address: addrinfo, name: String) throws(ServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { throw ServerError(call: "socket") }
        var enabled: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, size)
        guard unsafe Glibc.bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = ServerError(call: "Can't listen on \(name)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func boundPort(of descriptor: Int32) throws(ServerError) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard code == 0 else { throw ServerError(call: "getsockname") }
        guard [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return 0 }
        // `sin_port` and `sin6_port` have the same offset.
        return UInt16(bigEndian: address.sin6_port)
    }
}
