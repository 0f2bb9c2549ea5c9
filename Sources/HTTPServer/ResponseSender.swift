import Bytes
import Glibc
import HTTP

/// How a response is framed for its request.
struct ResponseFraming {
    /// Whether the request's method is HEAD, so that no body is sent.
    var isHead = false
    var keepsAlive = false
    var isHTTP10 = false
}

/// A sender of responses to one client, with the unsent rest in the budget of all connections.
///
/// A response that waits only uses the memory of its body.
struct ResponseSender {
    /// The client has closed the connection or does not read the response.
    struct Disconnected: Error {}

    /// The maximum size of a body that is copied behind its head, in bytes.
    ///
    /// The copy costs less than a system call with two parts. Larger bodies are not copied.
    private static let copiedBytes = 16 * 1024

    let channel: Channel
    let context: LoopContext
    let budget: ResponseBudget
    let writeMilliseconds: Int
    /// Ends the wait of a response that the budget drops; called on any thread.
    let giveUp: @Sendable (UInt64) -> Void

    /// Sends as much of a response as the socket accepts, and returns the rest for `finish`.
    func begin(
        _ response: Response,
        _ framing: ResponseFraming
    ) throws(Disconnected) -> UnsentResponse? {
        context.emptyOutput()
        return try sendOutput(and: write(response, to: &context.output, framing))
    }

    /// Adds a response to those that the loop sends together; the connection must stay open.
    ///
    /// The channel's wait ends if the socket doesn't accept all of it.
    func post(_ response: Response, _ framing: ResponseFraming) {
        context.outbox.append(for: channel) { output in write(response, to: &output, framing) }
    }

    /// Appends a response to `output`, and returns the body if it is too large to be copied.
    private func write(
        _ response: Response,
        to output: inout [UInt8],
        _ framing: ResponseFraming
    ) -> [UInt8] {
        ResponseSerializer.appendHead(
            of: response,
            to: &output,
            keepsAlive: framing.keepsAlive,
            isHTTP10: framing.isHTTP10,
            date: context.date
        )
        let body = ResponseSerializer.content(of: response, isHead: framing.isHead)
        guard body.count <= Self.copiedBytes else { return body }
        output.append(contentsOf: body)
        return []
    }

    /// Replaces the contents of the output buffer with the head of a response.
    func writeHead(of response: Response, _ framing: ResponseFraming) {
        context.emptyOutput()
        ResponseSerializer.appendHead(
            of: response,
            to: &context.output,
            keepsAlive: framing.keepsAlive,
            isHTTP10: framing.isHTTP10,
            date: context.date
        )
    }

    /// Sends the rest of a response, and returns once the system has all of it.
    ///
    /// `reserved` is what was reserved for the response, which is returned.
    func finish(
        _ response: UnsentResponse?,
        releasing reserved: Int = 0
    ) async throws(Disconnected) {
        guard let response else { return }
        let id = budget.add(response, releasing: reserved, now: context.now, giveUp: giveUp)
        guard let id else {
            Socket.discardUnsent(of: channel.descriptor)
            throw Disconnected()
        }
        context.waitingResponses[id] = channel
        defer {
            context.waitingResponses[id] = nil
            budget.remove(id)
            context.note(held: response.heldBytes)
        }
        while !response.isSent {
            try await waitUntilWritable()
            switch response.send(to: channel.descriptor) {
            case .moved(let count): budget.noteProgress(of: id, bytes: count, now: context.now)
            case .wouldBlock: continue
            case .closed:
                Socket.discardUnsent(of: channel.descriptor)
                throw Disconnected()
            }
        }
    }

    /// Sends a text, and returns once the system has all of it.
    func send(_ text: StaticString) async throws(Disconnected) {
        context.emptyOutput()
        unsafe context.output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
        try await sendOutput()
    }

    /// Sends the output buffer of the loop, and returns once the system has all of it.
    func sendOutput() async throws(Disconnected) {
        try await finish(sendOutput(and: []))
    }

    /// Sends the output buffer and a body, and returns the rest that the socket doesn't accept.
    ///
    /// It is a function of its own, so that a task that waits doesn't retain the loop's buffer.
    private func sendOutput(and body: [UInt8]) throws(Disconnected) -> UnsentResponse? {
        let output = context.output
        return try Self.send(output.span, body, to: channel.descriptor)
    }

    /// Waits until the socket is writable.
    ///
    /// The system waits until a third of its buffer has been read, so a client that reads a byte
    /// now and then can't keep a connection.
    func waitUntilWritable() async throws(Disconnected) {
        let deadline = context.now + Int64(writeMilliseconds)
        guard await channel.wait(for: .writing, until: deadline) == .ready else {
            // Otherwise the system holds its buffer for minutes, for a client that is gone.
            Socket.discardUnsent(of: channel.descriptor)
            throw Disconnected()
        }
    }

    /// Sends a head and a body with one call, and returns the rest that the socket doesn't accept.
    static func send(
        _ head: Span<UInt8>,
        _ body: [UInt8],
        to socket: Int32
    ) throws(Disconnected) -> UnsentResponse? {
        let transfer =
            body.isEmpty
            ? Socket.send(head, to: socket)
            : Socket.send(head, body.span, to: socket)
        let sent: Int
        switch transfer {
        case .moved(let count): sent = count
        case .wouldBlock: sent = 0
        case .closed: throw Disconnected()
        }
        guard sent < head.count + body.count else { return nil }
        // Other connections use the buffer while this one waits.
        var rest: [UInt8] = []
        rest.append(copying: head.extracting(droppingFirst: sent))
        return UnsentResponse(rest, body, sent: max(0, sent - head.count))
    }
}
