import CLinux
import Glibc

/// The calls on a non-blocking stream socket.
enum Socket {
    /// How a call went.
    enum Transfer {
        /// So many bytes were moved, at least one.
        case moved(Int)
        /// Nothing can be moved now.
        case wouldBlock
        /// The peer has closed its side, or the connection is broken.
        case closed
    }

    /// Receives into the buffer (recv(2)).
    static func receive(into buffer: inout [UInt8], from socket: Int32) -> Transfer {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(socket, bytes.baseAddress, bytes.count, 0)
        }
        return transfer(count)
    }

    /// Sends as much as the socket takes, without SIGPIPE (send(2)).
    static func send(_ bytes: Span<UInt8>, to socket: Int32) -> Transfer {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        return transfer(count)
    }

    private static func transfer(_ count: Int) -> Transfer {
        if count > 0 { return .moved(count) }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return .wouldBlock }
        return .closed
    }
}
