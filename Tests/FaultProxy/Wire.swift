import Glibc
import HTTP
import System
import Time

/// A TCP socket of this machine; every wait for its other end ends after a minute.
final class Wire: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Connects to, or listens at, `HOST:PORT` with a numeric host; nil if that fails.
    convenience init?(_ address: String, listens: Bool = false) {
        guard let colon = address.lastIndex(of: ":") else { return nil }
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let (host, port) = (String(address[..<colon]), String(address[colon...].dropFirst()))
        guard unsafe getaddrinfo(host, port, &hints, &found) == 0, let first = unsafe found
        else { return nil }
        defer { unsafe freeaddrinfo(first) }
        let (family, name, size) = unsafe (
            first.pointee.ai_family, first.pointee.ai_addr, first.pointee.ai_addrlen
        )
        self.init(socket(family, Int32(SOCK_STREAM.rawValue), 0))
        let code =
            unsafe listens
            ? bind(descriptor, name, size) + listen(descriptor, 128)
            : connect(descriptor, name, size)
        guard code == 0 else { return nil }
        if !listens { prepare() }
    }

    /// The port of an IPv4 socket.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends all of the bytes; returns whether that succeeded.
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                let flags = Int32(MSG_NOSIGNAL)
                return unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a response that isn't the server's; returns whether that succeeded.
    func send(_ response: Response, to request: Request) -> Bool {
        var bytes: [UInt8] = []
        ResponseSerializer.append(
            response,
            to: &bytes,
            isHead: request.method == .head,
            keepsAlive: request.keepsAlive,
            isHTTP10: request.isHTTP10,
            date: HTTPDate.bytes(.now())
        )
        return send(bytes)
    }

    /// Waits for bytes; returns none at the end of the connection.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Waits for bytes or the end; returns false if the other end of `client` is gone before.
    func hasInput(before client: Wire) -> Bool {
        // POLLRDHUP, which Glibc's module lacks.
        let hangUp: Int16 = 0x2000
        var states = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: client.descriptor, events: hangUp, revents: 0),
        ]
        _ = unsafe poll(&states, 2, 60_000)
        return states[0].revents != 0
    }

    /// Serves the connections of a listening socket, each on a thread of its own.
    ///
    /// - Parameter respond: Responds to a request, and returns whether the connection stays open.
    /// - Throws: `ThreadError` if the listener's thread can't be started.
    func serve(_ respond: @escaping @Sendable (Request, Wire) -> Bool) throws(ThreadError) {
        try POSIXThread { [self] in
            while true {
                let client = Wire(accept(descriptor, nil, nil))
                client.prepare()
                try? POSIXThread { client.converse(respond) }.detach()
            }
        }.detach()
    }

    private func converse(_ respond: (Request, Wire) -> Bool) {
        var limits = Limits()
        // The server's limit is to apply.
        limits.bodyBytes = 64 * 1024 * 1024
        var parser = RequestParser(limits: limits)
        var received: [UInt8] = []
        while let progress = try? parser.parse(received.span) {
            received.removeFirst(progress.consumed)
            if case .complete(let request) = progress.outcome {
                guard respond(request, self), request.keepsAlive else { return }
                continue
            }
            if progress.outcome == .needsContinue { _ = send("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
            let bytes = receive()
            guard !bytes.isEmpty else { return }
            received += bytes
        }
    }

    private func prepare() {
        set(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        set(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        // Single bytes must not wait for each other.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    }

    private func set<T: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: T) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<T>.size))
    }
}
