import Glibc
import HTTP

/// A streamed response after which the connection ends.
struct LastStream {
    let sender: StreamSender
    let response: Response
}

extension ClientConnection {
    /// The limits in ms and bytes for reading and discarding input after the last response.
    ///
    /// Otherwise a client that is still sending may not get it (RFC 9112 section 9.6).
    private static let lingerMilliseconds: Int64 = 2000
    private static let lingerBytes = 4 * 1024 * 1024
    /// Sends the stream that ends the connection.
    func finish(_ stream: LastStream) async {
        do {
            defer { stream.sender.close(stream.response.streamDidEnd) }
            try await stream.sender.send(stream.response)
        } catch {
            return
        }
        await linger()
    }

    /// Rejects a request, as far as it is known, and lets the response arrive before closing.
    mutating func refuse(_ status: Status, _ message: String, _ request: Request?) async {
        let response = service.refuse(status, message, request)
        let isHead = parser.isHead || request?.method == .head
        dropInput()
        do {
            try await sender.finish(sender.begin(response, ResponseFraming(isHead: isHead)))
            await linger()
        } catch {
            // The client has disconnected, so there is nobody to send an error to.
        }
    }

    /// Closes the sending side, and reads the rest of the input.
    ///
    /// Closing a socket with unread bytes resets the connection and may destroy a response that is
    /// still on its way.
    func linger() async {
        shutdown(channel.descriptor, Int32(SHUT_WR))
        var deadline = context.now + Self.lingerMilliseconds
        var discarded = 0
        while discarded < Self.lingerBytes {
            if context.isDraining {
                deadline = min(deadline, context.now + Int64(limits.drainMilliseconds))
            }
            switch await waitForBytes(until: deadline, isInterruptible: !context.isDraining) {
            case .ready: break
            case .interrupted, .woken, .unsent: continue
            case .timedOut, .givenUp: return
            }
            switch Socket.discard(Self.lingerBytes - discarded, from: channel.descriptor) {
            case .moved(let count): discarded += count
            case .wouldBlock: continue
            case .closed: return
            }
        }
    }
}
