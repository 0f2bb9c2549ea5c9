import System

/// The unsent rest of a response, which waits until its client reads.
///
/// Its loop sends it, and the budget of all connections may drop it on any thread. The memory is
/// then freed immediately, even if the loop is busy.
final class UnsentResponse: Sendable {
    private struct Bytes {
        var head: [UInt8]
        let body: [UInt8]
        /// The number of bytes of the body that are sent.
        var sent: Int
    }

    /// The memory that it uses, in bytes.
    let heldBytes: Int
    /// The rest; nil once it is dropped.
    private let rest: Mutex<Bytes?>

    /// Creates the rest of a response from the rest of its head, and its body from byte `sent` on.
    init(_ head: [UInt8], _ body: [UInt8], sent: Int) {
        // A body that was written piece by piece may have twice the capacity that it needs.
        let isLoose = body.capacity - body.count > body.count / 10
        let bytes = Bytes(
            head: head,
            body: isLoose ? Array(body[sent...]) : body,
            sent: isLoose ? 0 : sent
        )
        heldBytes = bytes.head.count + bytes.body.capacity
        rest = Mutex(bytes)
    }

    /// Whether all of it is sent.
    var isSent: Bool {
        rest.withLock { rest in
            guard let rest else { return false }
            return rest.head.isEmpty && rest.sent == rest.body.count
        }
    }

    /// Sends what the socket accepts; once it is dropped, the result is `closed`.
    func send(to socket: Int32) -> Socket.Transfer {
        rest.withLock { rest in
            guard let bytes = rest else { return .closed }
            let body = bytes.body.span.extracting(droppingFirst: bytes.sent)
            let transfer = Socket.send(bytes.head.span, body, to: socket)
            if case .moved(let count) = transfer {
                let ofHead = min(count, bytes.head.count)
                rest?.head.removeFirst(ofHead)
                rest?.sent += count - ofHead
            }
            return transfer
        }
    }

    /// Frees its memory.
    func drop() {
        rest.withLock { $0 = nil }
    }
}
