import HTTP

/// A sender of one response whose body is a stream, a piece at a time.
///
/// It holds no bytes while the stream waits. Belongs to its loop's thread.
final class StreamSender {
    /// The number of pieces to send before the loop continues with other connections.
    private static let piecesAtOnce = 4
    /// The longest wait, in ms.
    private static let waitLimit = 86_400_000
    /// The shortest wait that is extended, by up to half a second, in ms.
    private static let longWait = 5000
    private static let roundingMask: Int64 = 511

    let waker: StreamWaker
    /// The deadline of the wait, in ms of the loop's clock; `.max` if the stream isn't waiting.
    private(set) var waitDeadline = Int64.max

    private let stream: any BodyStream
    private let sender: ResponseSender
    private let framing: ResponseFraming
    /// Calls of `next` since the loop last waited.
    private var piecesInTurn = 0
    private var sentBytes = 0
    private var hasBegun = false
    private var isComplete = false

    private var context: LoopContext { sender.context }

    init(_ stream: any BodyStream, sender: ResponseSender, _ framing: ResponseFraming) {
        self.stream = stream
        self.sender = sender
        self.framing = framing
        waker = sender.context.streams.makeWaker()
    }

    /// Sends the response, and returns once the system has all of it.
    ///
    /// Throws if the client doesn't get all of it. The connection must be closed then.
    func send(_ response: Response) async throws(ResponseSender.Disconnected) {
        sender.writeHead(of: response, framing)
        if framing.isHead || !response.status.allowsContent {
            try await sender.sendOutput()
        } else {
            hasBegun = true
            context.streams.insert(self)
            let waker = waker
            stream.open { waker.wake() }
            try await sendBody()
        }
        isComplete = true
    }

    /// Closes the stream, and reports its end.
    func close(_ didEnd: (@Sendable (BodyStreamEnd) -> Void)?) {
        context.streams.remove(self)
        if hasBegun && !isComplete && framing.isHTTP10 {
            // An orderly end of the connection would look like the end of the body.
            Socket.discardUnsent(of: sender.channel.descriptor)
        }
        stream.close()
        didEnd?(BodyStreamEnd(bytes: sentBytes, isComplete: isComplete))
    }

    /// Resumes the stream if it is waiting.
    func resume(_ readiness: Readiness) {
        if waitDeadline < .max { sender.channel.resume(readiness) }
    }

    /// Aborts the stream.
    func giveUp() {
        sender.channel.resume(.givenUp)
    }

    /// Sends the output buffer, and then the pieces of the body.
    private func sendBody() async throws(ResponseSender.Disconnected) {
        while true {
            waker.beginNext()
            let progress = context.makePiece(of: stream)
            try await sendPiece(isLast: progress == .end)
            switch progress {
            case .more: try await takeTurns()
            case .wait(let milliseconds): try await wait(milliseconds)
            case .end: return
            case .failed: throw ResponseSender.Disconnected()
            }
            // Other connections have used the buffer since this one last waited.
            context.emptyOutput()
        }
    }

    /// Sends the current piece after the contents of the output buffer.
    private func sendPiece(isLast: Bool) async throws(ResponseSender.Disconnected) {
        let count = try frame(context.piece, isLast: isLast)
        if !context.output.isEmpty { try await sender.sendOutput() }
        sentBytes += count
    }

    /// Appends a piece to the output buffer and returns its size.
    ///
    /// The caller waits for the client and would retain the piece all that time.
    private func frame(_ piece: [UInt8], isLast: Bool) throws(ResponseSender.Disconnected) -> Int {
        guard piece.count <= BodyProgress.pieceBytes else { throw ResponseSender.Disconnected() }
        _ = context.note(made: piece, listSize: nil)
        if framing.isHTTP10 {
            context.output.append(contentsOf: piece)
        } else {
            ChunkedEncoder.append(chunk: piece.span, to: &context.output)
            if isLast { ChunkedEncoder.appendEnd(to: &context.output) }
        }
        return piece.count
    }

    /// Waits until the stream is woken or the time is over.
    ///
    /// A client that closes its sending side can still read, so only a reset ends the wait.
    private func wait(_ milliseconds: Int) async throws(ResponseSender.Disconnected) {
        guard !waker.isWoken else { return try await takeTurns() }
        piecesInTurn = 0
        let deadline = context.now + Int64(max(0, min(milliseconds, Self.waitLimit)))
        // Each pass over the deadlines looks at all streams, so those of long waits end together.
        waitDeadline = milliseconds < Self.longWait ? deadline : deadline | Self.roundingMask
        context.streams.noteWait(of: self)
        let readiness = await sender.channel.wait(
            for: .nothing,
            until: .max,
            isInterruptible: !context.isDraining
        )
        waitDeadline = .max
        switch readiness {
        case .woken, .timedOut, .interrupted: return
        case .ready, .givenUp, .unsent: throw ResponseSender.Disconnected()
        }
    }

    /// Lets the loop's other connections continue after every few pieces.
    private func takeTurns() async throws(ResponseSender.Disconnected) {
        piecesInTurn += 1
        guard piecesInTurn >= Self.piecesAtOnce else { return }
        piecesInTurn = 0
        try await sender.waitUntilWritable()
        // A stream that has nothing to send would not notice the disconnection otherwise.
        guard !Socket.isBroken(sender.channel.descriptor) else {
            throw ResponseSender.Disconnected()
        }
    }
}
