import CLinux
import Glibc

/// The system calls on a non-blocking stream socket.
enum Socket {
    /// The result of a call.
    enum Transfer {
        /// This many bytes were moved, at least one.
        case moved(Int)
        /// Nothing can be moved now.
        case wouldBlock
        /// The peer has closed its side, or the connection is broken.
        case closed
    }

    /// Receives into a range of the buffer (recv(2)).
    static func receive(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        from socket: Int32
    ) -> Transfer {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            // This checks the range.
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            return unsafe recv(socket, part.baseAddress, part.count, 0)
        }
        return transfer(count)
    }

    /// Discards up to `count` received bytes without copying them (tcp(7), `MSG_TRUNC`).
    static func discard(_ count: Int, from socket: Int32) -> Transfer {
        transfer(recv(socket, nil, count, Int32(MSG_TRUNC)))
    }

    /// Sends as much as the socket accepts, without SIGPIPE (send(2)).
    static func send(_ bytes: Span<UInt8>, to socket: Int32) -> Transfer {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        return transfer(count)
    }

    /// Sends both, one after the other, with one call (sendmsg(2)).
    static func send(_ head: Span<UInt8>, _ body: Span<UInt8>, to socket: Int32) -> Transfer {
        let count = unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                // The call only reads through the pointers, and they don't outlive it.
                let parts = unsafe [
                    iovec(iov_base: .init(mutating: head.baseAddress), iov_len: head.count),
                    iovec(iov_base: .init(mutating: body.baseAddress), iov_len: body.count),
                ]
                return unsafe parts.withUnsafeBufferPointer { parts in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = .init(mutating: parts.baseAddress)
                    unsafe message.msg_iovlen = parts.count
                    return unsafe sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        return transfer(count)
    }

    /// Returns whether the connection was reset or has ended in both directions (poll(2)).
    ///
    /// Nothing reaches the client then.
    static func isBroken(_ socket: Int32) -> Bool {
        var state = pollfd(fd: socket, events: 0, revents: 0)
        return unsafe poll(&state, 1, 0) > 0
    }

    /// Makes closing the socket discard its unsent bytes and reset the connection.
    ///
    /// Otherwise the system keeps them for a client that doesn't read (socket(7), `SO_LINGER`).
    static func discardUnsent(of socket: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, size)
    }

    /// Prepares a connection for a stream that may be open for hours (socket(7), tcp(7)).
    ///
    /// It ends if the client's system acknowledges nothing for a minute, and little waits for a
    /// client that doesn't read.
    static func prepareForStream(_ socket: Int32) {
        var (milliseconds, bytes): (UInt32, UInt32) = (60_000, 64 * 1024)
        let size = socklen_t(MemoryLayout<UInt32>.size)
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, size)
    }

    private static func transfer(_ count: Int) -> Transfer {
        if count > 0 { return .moved(count) }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return .wouldBlock }
        return .closed
    }
}
