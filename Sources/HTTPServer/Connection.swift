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
    private let budget: RequestBudget
    private let sender: ResponseSender
    /// The client's address; nil where many clients share one.
    private let clientAddress: IPAddress?
    /// The address that its memory is counted for while any is.
    private var countedAddress: IPAddress?
    /// The memory, in bytes, that the budget counts for it.
    private var countedBytes = 0
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
        clientAddress: IPAddress?,
        context: LoopContext,
        service: Service,
        limits: Limits,
        budget: RequestBudget,
        sender: ResponseSender
    ) {
        self.channel = channel
        self.peerAddress = peerAddress
        self.clientAddress = clientAddress
        self.context = context
        self.service = service
        self.limits = limits
        self.budget = budget
        self.sender = sender
        parser = RequestParser(limits: limits)
        phaseDeadline = context.now + Int64(limits.idleMilliseconds)
    }

    /// Serves requests until either side ends the connection.
    func serve() async {
        defer { dropInput() }
        do {
            while var request = try await nextRequest() {
                guard try await answer(&request) else { return await linger() }
                enter(.idle)
                try await takeTurns()
            }
        } catch let error as ParseError {
            await refuse(error.status, error.message, parser.partialRequest)
        } catch let error as RequestWithoutRoom {
            await refuse(.serviceUnavailable, error.refusal.message, error.request)
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
        await refuse(.serviceUnavailable, message, nil)
    }

    /// Has a request answered, and returns whether the connection may have another one; frees the
    /// body of the request as soon as the response is made.
    private func answer(_ request: inout Request) async throws -> Bool {
        request.peerAddress = peerAddress
        request.arrivalMilliseconds = arrivalBegan.map { context.now - $0 } ?? 0
        if context.mustWaitForTurn, service.isList(request) {
            let began = context.now
            await context.waitForTurn()
            request.turnMilliseconds = context.now - began
            // There may be a thousand lists to make for clients that are gone by now.
            if Socket.isBroken(channel.descriptor) { throw ResponseSender.Disconnected() }
        }
        var response = await service.respond(request)
        if let stream = response.stream {
            return try await send(stream, of: response, to: &request)
        }
        context.note(made: response.body.count)
        if !request.body.isEmpty { request.body = [] }
        if countedBytes > 0 { try countMemory() }
        if response.isShed {
            _ = await hold(until: context.now + Int64(limits.refusalMilliseconds))
        }
        let keepsAlive = request.keepsAlive && mayAskAgain
        let rest = try sender.begin(
            response,
            isHead: request.method == .head,
            keepsAlive: keepsAlive,
            isHTTP10: request.isHTTP10
        )
        // What waits for the client is held once, and can be dropped.
        response.body = []
        try await sender.finish(rest)
        return keepsAlive
    }

    /// Sends a response whose body is a stream, and returns whether the connection may have another
    /// request; frees the body of this one first.
    private func send(
        _ stream: any BodyStream,
        of response: Response,
        to request: inout Request
    ) async throws -> Bool {
        let isHead = request.method == .head
        let sender = StreamSender(stream, sender: sender, isHTTP10: request.isHTTP10)
        defer { sender.close(response.streamDidEnd) }
        // Only the end of the connection tells a client of HTTP/1.0 that the body ends.
        let keepsAlive = request.keepsAlive && mayAskAgain && !request.isHTTP10
        // A stream may be open for hours.
        request.body = []
        request.headers = Headers()
        if countedBytes > 0 { try countMemory() }
        try await sender.send(response, isHead: isHead, keepsAlive: keepsAlive)
        return keepsAlive
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
        try await sender.waitUntilWritable()
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
                let message = "The request took too long to arrive."
                await refuse(.requestTimeout, message, parser.partialRequest)
                return nil
            // A request that has come since the loop looked must not find its connection closed.
            case .ready, .timedOut, .givenUp, .woken: break
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
        let rest = received.dropFirst(progress.consumed)
        // A slice keeps the whole of its array. Each byte is copied once on average.
        unparsed = rest.startIndex > rest.count ? ArraySlice(Array(rest)) : rest
        return try await outcome(of: progress)
    }

    private func outcome(of progress: RequestParser.Progress) async throws -> Request? {
        switch progress.outcome {
        case .complete(let request):
            if countedBytes > 0 || !request.body.isEmpty || !unparsed.isEmpty {
                try countMemory(of: request)
            }
            return request
        case .needsContinue: try await sender.send("HTTP/1.1 100 Continue\r\n\r\n")
        case .needsMore: break
        }
        try countMemory()
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

    // MARK: Memory

    /// Counts the memory that this connection's requests take now, with that of `request`, which
    /// has arrived and has no response yet; throws if there is no room for it.
    private func countMemory(of request: Request? = nil) throws(RequestWithoutRoom) {
        // What is left over is a part of a head whose fields are held as text, too, or it has twice
        // the room that it needs.
        let held = parser.heldBytes + 2 * unparsed.count + (request?.body.capacity ?? 0)
        let counted = held > RequestBudget.freeBytes ? held : 0
        guard counted != countedBytes else { return }
        do {
            if countedBytes == 0 { countedAddress = address(of: request) }
            try budget.change(from: countedBytes, to: counted, for: countedAddress)
            if counted < countedBytes { context.note(held: countedBytes - counted) }
            countedBytes = counted
        } catch {
            var known = request ?? parser.partialRequest
            known?.body = []
            throw RequestWithoutRoom(refusal: error, request: known)
        }
    }

    /// The address that a request counts for: the client's, also where a proxy has sent it; nil
    /// where that is not known.
    private func address(of request: Request?) -> IPAddress? {
        if let clientAddress { return clientAddress }
        guard var request = request ?? parser.partialRequest else { return nil }
        request.peerAddress = peerAddress
        return service.clientAddress(request)
    }

    /// Forgets what has arrived, and counts it no longer.
    private func dropInput() {
        parser = RequestParser(limits: limits)
        unparsed = []
        // It never fails to become less.
        try? countMemory()
    }

    // MARK: Ending

    /// Rejects a request, as far as it is known, and lets the response arrive before closing.
    private func refuse(_ status: Status, _ message: String, _ request: Request?) async {
        let response = service.refuse(status, message, request)
        let isHead = parser.isHead || request?.method == .head
        dropInput()
        do {
            let rest = try sender.begin(
                response,
                isHead: isHead,
                keepsAlive: false,
                isHTTP10: false
            )
            try await sender.finish(rest)
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
            case .interrupted, .woken: continue
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

/// A request that there is no memory for, as far as it is known.
private struct RequestWithoutRoom: Error {
    let refusal: RequestBudget.Refusal
    let request: Request?
}
