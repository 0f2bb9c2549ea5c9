import Glibc
import HTTP

/// Sends to one client, and holds what the client does not take at once, within the budget of all
/// connections.
///
/// A response takes the memory of its body and no more while it waits.
struct ResponseSender {
    /// The client closed the connection or does not read the response.
    struct Disconnected: Error {}

    /// A body of up to so many bytes is copied behind its head, which costs less than a call of the
    /// system with two parts; a larger one is sent from where it is.
    private static let copiedBytes = 16 * 1024

    let channel: Channel
    let context: LoopContext
    let budget: ResponseBudget
    let writeMilliseconds: Int
    /// Ends the wait for the client of a response that the budget gives up; called on any thread.
    let giveUp: @Sendable (UInt64) -> Void

    /// Sends what the client takes of a response at once, and returns the rest of it if there is
    /// one, which is to be passed to `finish`.
    func begin(
        _ response: Response,
        isHead: Bool,
        keepsAlive: Bool,
        isHTTP10: Bool
    ) throws(Disconnected) -> UnsentResponse? {
        writeHead(of: response, keepsAlive: keepsAlive, isHTTP10: isHTTP10)
        var body = ResponseSerializer.content(of: response, isHead: isHead)
        if body.count <= Self.copiedBytes {
            context.output.append(contentsOf: body)
            body = []
        }
        return try sendOutput(and: body)
    }

    /// Replaces the content of the output buffer by the head of a response.
    func writeHead(of response: Response, keepsAlive: Bool, isHTTP10: Bool) {
        context.emptyOutput()
        ResponseSerializer.appendHead(
            of: response,
            to: &context.output,
            keepsAlive: keepsAlive,
            isHTTP10: isHTTP10,
            date: context.date
        )
    }

    /// Sends the rest of a response, and returns once the system has all of it.
    func finish(_ response: UnsentResponse?) async throws(Disconnected) {
        guard let response else { return }
        let id = budget.add(response, giveUp: giveUp)
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
            case .moved: budget.noteProgress(of: id)
            case .wouldBlock: continue
            case .closed:
                Socket.discardUnsent(of: channel.descriptor)
                throw Disconnected()
            }
        }
    }

    /// Sends these characters, and returns once the system has all of them.
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

    /// Waits until the system takes more, which is not before a third of what it holds is read:
    /// a client that reads a byte now and then does not keep a connection.
    func waitUntilWritable() async throws(Disconnected) {
        let deadline = context.now + Int64(writeMilliseconds)
        guard await channel.wait(for: .writing, until: deadline) == .ready else {
            // Otherwise the system keeps what it holds for minutes, for a client that is gone.
            Socket.discardUnsent(of: channel.descriptor)
            throw Disconnected()
        }
    }

    /// Sends the output buffer and a body with one call, and returns what the socket does not take.
    private func sendOutput(and body: [UInt8]) throws(Disconnected) -> UnsentResponse? {
        let output = context.output
        let transfer =
            body.isEmpty
            ? Socket.send(output.span, to: channel.descriptor)
            : Socket.send(output.span, body.span, to: channel.descriptor)
        let sent: Int
        switch transfer {
        case .moved(let count): sent = count
        case .wouldBlock: sent = 0
        case .closed: throw Disconnected()
        }
        guard sent < output.count + body.count else { return nil }
        // The buffer is another connection's while this one waits.
        let head = Array(output.dropFirst(sent))
        return UnsentResponse(head, body, sent: max(0, sent - output.count))
    }
}
