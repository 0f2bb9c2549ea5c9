import Glibc

/// A client's TCP connection to this machine; its calls block.
final class Client: Sendable {
    /// A server that has hung is an error after this many seconds.
    private static let patience = 120

    let descriptor: Int32

    /// Makes a socket; a small receive buffer makes a slow reader.
    init(receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ClientError("socket: \(errno)") }
        set(SO_RCVTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
        set(SO_SNDTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
        if let receiveBuffer { set(SO_RCVBUF, receiveBuffer) }
    }

    deinit {
        close(descriptor)
    }

    /// Takes an address of this machine for its own.
    func bind(to address: String) throws {
        guard unsafe Self.call(Glibc.bind, descriptor, address, 0) == 0 else {
            throw ClientError("bind: \(errno)")
        }
    }

    /// Connects to 127.0.0.1.
    func connect(to port: UInt16) throws {
        guard unsafe Self.call(Glibc.connect, descriptor, "127.0.0.1", port) == 0 else {
            throw ClientError("connect: \(errno)")
        }
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ descriptor: Int32,
        _ host: String,
        _ port: UInt16
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, host, &address.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe function(descriptor, address, size)
            }
        }
    }

    /// Sends all of the text.
    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends all of the bytes.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ClientError("the server takes no more bytes: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends the text in segments of a byte each.
    func sendByteByByte(_ text: String) throws {
        var enabled: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, size)
        for byte in text.utf8 { try send([byte]) }
    }

    /// Says that nothing more will be sent.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the end of this connection a reset, as that of a program that died.
    func resetWhenClosed() {
        set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// Whether something has arrived that was not yet received.
    var hasReceived: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&state, 1, 0) > 0
    }

    /// Waits for an answer and takes no byte beyond it.
    func receive(isHead: Bool = false) throws -> Answer {
        var head: [UInt8] = []
        while !head.ends(with: "\r\n\r\n") { head += try receive(1) }
        var answer = try Answer(head: head)
        if !isHead, let length = answer.contentLength {
            answer.body = String(decoding: try receive(length), as: UTF8.self)
        }
        return answer
    }

    /// Waits for exactly this many bytes.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let received = try receiveSome(upTo: count - bytes.count)
            guard !received.isEmpty else { throw ClientError("the end, after \(bytes.count)") }
            bytes += received
        }
        return bytes
    }

    /// Waits until the server closes; throws if it sends anything before.
    func receiveEnd() throws {
        let rest = try receiveSome(upTo: 1000)
        guard rest.isEmpty else {
            throw ClientError("more than expected: \(String(decoding: rest, as: UTF8.self))")
        }
    }

    /// Reads until the connection ends, in whatever way, and returns how many bytes came.
    func receiveToEnd() -> Int {
        var count = 0
        while let bytes = try? receiveSome(upTo: 64 * 1024), !bytes.isEmpty { count += bytes.count }
        return count
    }

    /// Waits until the server closes, and returns what it sent before, without a `Date` field;
    /// throws if the connection was reset.
    func receiveAll() throws -> String {
        var bytes: [UInt8] = []
        while true {
            let received = try receiveSome(upTo: 64 * 1024)
            if received.isEmpty { break }
            bytes += received
        }
        return String(decoding: bytes, as: UTF8.self)
            .replacing(/Date: [^\r]*\r\n/, with: "", maxReplacements: 1)
    }

    private func receiveSome(upTo count: Int) throws -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        guard received >= 0 else { throw ClientError("recv: \(errno)") }
        return buffer.prefix(received)
    }

    private func set<T: BitwiseCopyable>(_ option: Int32, _ value: T) {
        var value = value
        let size = socklen_t(MemoryLayout<T>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, size)
    }
}

struct ClientError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
