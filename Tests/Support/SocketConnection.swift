import Glibc

/// A client's TCP connection to this machine; its calls block.
package final class SocketConnection: Sendable {
    /// A server that has hung is an error after this many seconds.
    private static let patience = 120

    private let descriptor: Int32

    /// Connects to 127.0.0.1.
    package init(port: UInt16) throws(ProtocolError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw ProtocolError("can't connect to port \(port)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends all of the bytes.
    package func send(_ bytes: [UInt8]) throws(ProtocolError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress,
                    bytes.count,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw ProtocolError("the server takes no more bytes") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the answer to a request of this method; nothing may follow it.
    package func receive(answerTo method: String) throws(ProtocolError) -> Answer {
        var received: [UInt8] = []
        while true {
            if let (answer, length) = try Answer.read(received, to: method) {
                guard length == received.count else {
                    throw ProtocolError("more than the answer: \(received[length...])")
                }
                return answer
            }
            received += try receive(after: received.count)
        }
    }

    /// Waits until what comes next ends with a text, and returns it.
    package func receive(until end: String) throws(ProtocolError) -> String {
        var received: [UInt8] = []
        while !received.suffix(end.utf8.count).elementsEqual(end.utf8) {
            received += try receive(after: received.count)
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// What comes next, after so many bytes of an answer.
    private func receive(after receivedCount: Int) throws(ProtocolError) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        guard count > 0 else {
            let end =
                count == 0 ? "the end of the connection" : unsafe String(cString: strerror(errno))
            throw ProtocolError("\(receivedCount) bytes of an answer, then \(end)")
        }
        return buffer.prefix(count)
    }
}
