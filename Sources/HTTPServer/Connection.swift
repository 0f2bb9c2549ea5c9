import Addresses
import Glibc
import HTTP

/// One client's connection: reads requests, has them answered in order, writes the answers.
///
/// Its one task runs on its loop's thread. An idle connection holds no buffer.
final class Connection {
    /// How long, in ms, and how much is read and thrown away after the last answer, so that it
    /// reaches a client that is still sending (RFC 9112 section 9.6).
    private static let lingerMilliseconds: Int64 = 2000
    private static let lingerBytes = 4 * 1024 * 1024
    /// Pipelined requests answered before others on the loop get their turn.
    private static let requestsAtOnce = 16

    private let channel: Channel
    private let peerAddress: IPAddress?
    private let context: LoopContext
    private let service: Service
    private let limits: Limits
    private var parser: RequestParser
    /// What has arrived and is not yet parsed: a part of a head, or pipelined requests.
    private var unparsed: ArraySlice<UInt8> = []
    private var phase = RequestParser.Phase.idle
    private var phaseDeadline: Int64
    /// When the first bytes came of a request that did not come as one, in ms of the loop's clock.
    private var arrivalBegan: Int64?
    /// Pipelined requests that were answered since the loop last waited.
    private var requestsInTurn = 0

    init(
        channel: Channel,
        peerAddress: IPAddress?,
        context: LoopContext,
        service: Service,
        limits: Limits
    ) {
        self.channel = channel
        self.peerAddress = peerAddress
        self.context = context
        self.service = service
        self.limits = limits
        parser = RequestParser(limits: limits)
        phaseDeadline = context.now + Int64(limits.idleMilliseconds)
    }

    /// Serves requests until either side ends the connection.
    func serve() async {
        do {
            while var request = try await nextRequest() {
                request.peerAddress = peerAddress
                request.arrivalMilliseconds = arrivalBegan.map { context.now - $0 } ?? 0
                let response = await service.respond(request)
                if response.isShed {
                    _ = await hold(until: context.now + Int64(limits.refusalMilliseconds))
                }
                let keepsAlive = request.keepsAlive && mayAskAgain
                try await send(response, to: request, keepsAlive: keepsAlive)
                if !keepsAlive { return await linger() }
                enter(.idle)
                try await takeTurns()
            }
        } catch let error as ParseError {
            await refuse(error.status, error.message)
        } catch {
            // The client is gone: nobody is left to tell.
        }
    }

    /// Answers that the server has no room for this connection.
    func turnAway(because refusal: ConnectionCount.Refusal) async {
        let message =
            switch refusal {
            case .full: "The server has no room for another connection; try again soon."
            case .addressFull: "Your address has too many connections open; close some of them."
            }
        await refuse(.serviceUnavailable, message)
    }

    /// Keeps a client waiting that there is no room for, until this time in ms of the loop's clock;
    /// false if the client is gone or the server stops before.
    func hold(until deadline: Int64) async -> Bool {
        guard !context.isDraining else { return false }
        context.heldCount += 1
        defer { context.heldCount -= 1 }
        return await channel.wait(for: .nothing, until: deadline, isInterruptible: true)
            == .timedOut
    }

    /// Whether another request is served: while the server stops, only one that has come with the
    /// last, in time.
    private var mayAskAgain: Bool {
        guard let drainDeadline = context.drainDeadline else { return true }
        return !unparsed.isEmpty && context.now < drainDeadline
    }

    /// Lets the loop's other connections go on after every few pipelined requests, which would
    /// otherwise all be answered before anything else is.
    private func takeTurns() async throws {
        requestsInTurn = unparsed.isEmpty ? 0 : requestsInTurn + 1
        guard requestsInTurn >= Self.requestsAtOnce else { return }
        requestsInTurn = 0
        try await waitUntilWritable()
    }

    // MARK: Reading

    /// The next request; nil if the client sent nothing more and closed, or was idle too long.
    private func nextRequest() async throws -> Request? {
        if !unparsed.isEmpty, let request = try await parseLeftovers() { return request }
        while true {
            let isIdle = phase == .idle
            let readiness = await waitForBytes(
                until: isIdle ? idleDeadline : phaseDeadline,
                isInterruptible: isIdle && !context.isDraining
            )
            switch readiness {
            case .interrupted: continue
            case .timedOut where !isIdle:
                await refuse(.requestTimeout, "The request took too long to arrive.")
                return nil
            // A request that has come since the loop looked must not find its connection closed.
            case .ready, .timedOut: break
            }
            switch Socket.receive(into: &context.readBuffer, from: channel.descriptor) {
            case .wouldBlock where readiness == .timedOut: return nil
            case .wouldBlock: continue
            case .closed: return nil
            case .moved(let count):
                if let request = try await parse(received: count) { return request }
                // Empty lines are no request, and its time is over.
                if readiness == .timedOut && phase == .idle { return nil }
            }
        }
    }

    /// Until when a connection without a request may send one.
    private var idleDeadline: Int64 {
        guard let drainDeadline = context.drainDeadline else { return phaseDeadline }
        // An answer that took longer than the drain has not said that it is the last.
        let idleSince = phaseDeadline - Int64(limits.idleMilliseconds)
        let grace = idleSince + Int64(limits.drainMilliseconds)
        return min(phaseDeadline, max(drainDeadline, grace))
    }

    /// Waits until there is something to read, though never beyond the deadline: each byte that
    /// trickles in ends a wait, and the next one must not begin anew.
    private func waitForBytes(until deadline: Int64, isInterruptible: Bool) async -> Readiness {
        if context.now >= deadline { return .timedOut }
        return await channel.wait(
            for: .reading,
            until: deadline,
            isInterruptible: isInterruptible
        )
    }

    /// Parses the first `count` bytes of the read buffer behind what is left over from before.
    private func parse(received count: Int) async throws -> Request? {
        if !unparsed.isEmpty {
            unparsed.append(contentsOf: context.readBuffer.prefix(count))
            return try await parseLeftovers()
        }
        let received = context.readBuffer
        let progress = try parser.parse(received.span.extracting(first: count))
        if progress.consumed < count {
            unparsed.append(contentsOf: received[progress.consumed..<count])
        }
        return try await outcome(of: progress)
    }

    private func parseLeftovers() async throws -> Request? {
        let received = unparsed
        let progress = try parser.parse(received.span)
        unparsed = progress.consumed < received.count ? received.dropFirst(progress.consumed) : []
        return try await outcome(of: progress)
    }

    private func outcome(of progress: RequestParser.Progress) async throws -> Request? {
        switch progress.outcome {
        case .complete(let request): return request
        case .needsContinue: try await send("HTTP/1.1 100 Continue\r\n\r\n")
        case .needsMore: break
        }
        if parser.phase != phase { enter(parser.phase) }
        return nil
    }

    private func enter(_ phase: RequestParser.Phase) {
        self.phase = phase
        arrivalBegan = phase == .idle ? nil : arrivalBegan ?? context.now
        let milliseconds =
            switch phase {
            case .idle: limits.idleMilliseconds
            case .head: limits.headMilliseconds
            case .body: limits.bodyMilliseconds
            }
        phaseDeadline = context.now + Int64(milliseconds)
    }

    // MARK: Writing

    private func send(_ response: Response, to request: Request, keepsAlive: Bool) async throws {
        context.emptyOutput()
        ResponseSerializer.append(
            response,
            to: &context.output,
            isHead: request.method == .head,
            keepsAlive: keepsAlive,
            isHTTP10: request.isHTTP10,
            date: context.date
        )
        try await flushOutput()
    }

    private func send(_ text: StaticString) async throws {
        context.emptyOutput()
        unsafe context.output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
        try await flushOutput()
    }

    /// Writes the output buffer with one call where the socket takes it all; what it does not
    /// take is copied, because the buffer is another connection's while this one waits.
    private func flushOutput() async throws {
        let output = context.output
        switch Socket.send(output.span, to: channel.descriptor) {
        case .moved(let count) where count == output.count: return
        case .moved(let count): try await sendRest(Array(output[count...]))
        case .wouldBlock: try await sendRest(output)
        case .closed: throw Disconnected()
        }
    }

    private func sendRest(_ rest: [UInt8]) async throws {
        var sent = 0
        while sent < rest.count {
            try await waitUntilWritable()
            let unsent = rest.span.extracting(droppingFirst: sent)
            switch Socket.send(unsent, to: channel.descriptor) {
            case .moved(let count): sent += count
            case .wouldBlock: continue
            case .closed: throw Disconnected()
            }
        }
    }

    /// Waits until the system takes more, which is not before a third of what it holds is read:
    /// a client that reads a byte now and then does not keep a connection.
    private func waitUntilWritable() async throws {
        let deadline = context.now + Int64(limits.writeMilliseconds)
        guard await channel.wait(for: .writing, until: deadline) == .ready else {
            throw Disconnected()
        }
    }

    // MARK: Ending

    /// Answers what is no acceptable request, and lets the answer arrive before closing.
    private func refuse(_ status: Status, _ message: String) async {
        let response = service.refuse(status, message, parser.partialRequest)
        context.emptyOutput()
        ResponseSerializer.append(
            response,
            to: &context.output,
            isHead: parser.isHead,
            keepsAlive: false,
            isHTTP10: false,
            date: context.date
        )
        do {
            try await flushOutput()
            await linger()
        } catch {
            // The client is gone: nobody is left to tell.
        }
    }

    /// Closing a socket with unread bytes resets the connection and may destroy an answer that is
    /// still on its way, so the sending side is closed first and the rest is read.
    private func linger() async {
        shutdown(channel.descriptor, Int32(SHUT_WR))
        var deadline = context.now + Self.lingerMilliseconds
        var discarded = 0
        while discarded < Self.lingerBytes {
            if context.isDraining {
                deadline = min(deadline, context.now + Int64(limits.drainMilliseconds))
            }
            switch await waitForBytes(until: deadline, isInterruptible: !context.isDraining) {
            case .ready: break
            case .interrupted: continue
            case .timedOut: return
            }
            switch Socket.receive(into: &context.readBuffer, from: channel.descriptor) {
            case .moved(let count): discarded += count
            case .wouldBlock: continue
            case .closed: return
            }
        }
    }
}

/// The client closed the connection or does not read what it asked for.
private struct Disconnected: Error {}
