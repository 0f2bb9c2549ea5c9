/// A buffer for bytes that were received and that connections have not parsed yet.
///
/// The loop receives for the idle connections of a batch before any of them is served. Otherwise
/// the code of the system and that of the server displace each other from the processor's cache at
/// each request.
struct Inbox {
    /// The result of receiving.
    struct Delivery {
        let transfer: Socket.Transfer
        /// The offset of the received bytes in the buffer.
        let start: Int
        /// Whether the loop has received only a part of what the client has sent.
        var isCut = false
    }

    /// The maximum of bytes to receive for one connection with one call.
    private static let bytesAtOnce = 64 * 1024
    /// The bytes received ahead for one connection of a batch; most requests are smaller.
    private static let bytesAhead = 4096

    /// The bytes for the connections of a batch, and behind them those for one connection.
    private(set) var buffer = [UInt8](repeating: 0, count: 2 * bytesAtOnce)
    /// The number of bytes for the connections of the batch.
    private var count = 0

    /// Forgets the bytes of the last batch.
    mutating func empty() {
        count = 0
    }

    /// Receives for a connection of a batch; nil if there is no room, so that it must do so itself.
    mutating func receiveAhead(from socket: Int32) -> Delivery? {
        guard count + Self.bytesAhead <= Self.bytesAtOnce else { return nil }
        let start = count
        let range = start..<start + Self.bytesAhead
        let transfer = Socket.receive(into: &buffer, range, from: socket)
        guard case .moved(let received) = transfer else {
            return Delivery(transfer: transfer, start: start)
        }
        count += received
        return Delivery(transfer: transfer, start: start, isCut: received == range.count)
    }

    /// Receives for one connection; the bytes are only valid until the next call.
    mutating func receive(from socket: Int32) -> Delivery {
        let range = Self.bytesAtOnce..<buffer.count
        let transfer = Socket.receive(into: &buffer, range, from: socket)
        return Delivery(transfer: transfer, start: range.lowerBound)
    }
}
