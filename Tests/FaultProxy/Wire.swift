import Glibc
import HTTP
import System
import Time

/// A TCP socket of this machine; every wait for its other end ends after a minute.
final class Wire: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        set(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        set(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        // Single bytes must not wait for each other.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    }

    deinit {
        close(descriptor)
    }

    /// Connects to, or listens at, `HOST:PORT` with a numeric host; nil if that fails.
    convenience init?(_ address: String, listens: Bool = false) {
        guard let colon = address.lastIndex(of: ":") else { return nil }
        var found: UnsafeMutablePointer<addrinfo>?
        let (host, port) = (String(address[..<colon]), String(address[colon...].dropFirst()))
        guard unsafe getaddrinfo(host, port, nil, &found) == 0, let first = unsafe found
        else { return nil }
        defer { unsafe freeaddrinfo(first) }
        let (name, size) = unsafe (first.pointee.ai_addr, first.pointee.ai_addrlen)
        unsafe self.init(socket(first.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0))
        let code =
            unsafe listens
            ? bind(descriptor, name, size) + listen(descriptor, 128)
            : connect(descriptor, name, size)
        guard code == 0 else { return nil }
    }

    /// The port of an IPv4 socket.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getsockname(descriptor, bytes.bindMemory(to: sockaddr.self).baseAddress, &length)
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
        var states = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            // POLLRDHUP, which Glibc's module lacks.
            pollfd(fd: client.descriptor, events: 0x2000, revents: 0),
        ]
        _ = unsafe poll(&states, 2, 60_000)
        return states[0].revents != 0
    }

    /// Serves each connection on a thread of its own, until `respond` returns false.
    func serve(_ respond: @escaping @Sendable (Request, Wire) -> Bool) throws(ThreadError) {
        try POSIXThread { [self] in
            while true {
                // After a minute without a client it has no descriptor, and ends at once.
                let client = Wire(accept(descriptor, nil, nil))
                try? POSIXThread { client.converse(respond) }.detach()
            }
        }.detach()
    }

    private func converse(_ respond: (Request, Wire) -> Bool) {
        var parser = RequestParser(limits: Limits())
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

    private func set<T: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: T) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<T>.size))
    }
}
