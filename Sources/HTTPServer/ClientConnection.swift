import HTTP
import Glibc

/// A client's connection, which reads requests and sends the responses in order.
///
/// Its one task runs on its loop's thread. An idle connection has no buffer. It is a value of the
/// task, so that the compiler can prove that only one access to its state happens at a time.
struct ClientConnection: ~Copyable {
    /// The limits in ms and bytes for reading and discarding input after the last response.
    ///
    /// Otherwise a client that is still sending may not get it (RFC 9112 section 9.6).
    private static let lingerMilliseconds: Int64 = 2000
    private static let lingerBytes = 4 * 1024 * 1024
    /// The memory of a connection that is not counted, in bytes, so that small requests never wait
    /// for a lock and are served when the limit is reached.
    private static let freeBytes = 4096
    /// The number of pipelined requests to serve before the loop's other connections.
    private static let requestsAtOnce = 16

    private let channel: Channel
    private let peerAddress: IPAddress?
    private let context: LoopContext
    private let service: Service
    private let limits: Limits
    private let budget: AddressBudget
    private let sender: ResponseSender
    /// The client's address; nil if many clients share it.
    private let clientAddress: IPAddress?
    /// The address that its memory is counted for; only valid if `countedBytes` is not 0.
    private var countedAddress: IPAddress?
    /// The memory that the budget counts for it, in bytes.
    private var countedBytes = 0
    private var parser: RequestParser
    /// Bytes that are not parsed yet: a part of a head, or pipelined requests.
    private var unparsed: ArraySlice<UInt8> = []
    private var phase = RequestParser.Phase.idle
    private var phaseDeadline: Int64
    /// The time of the request's first bytes, in ms of the loop's clock; nil if it arrived at once.
    private var arrivalBegan: Int64?
    /// The pipelined requests that were served since the loop last waited.
    private var requestsInTurn = 0

    init(
        channel: Channel,
        peerAddress: IPAddress?,
        clientAddress: IPAddress?,
        context: LoopContext,
        service: Service,
        limits: Limits,
        budget: AddressBudget,
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
    mutating func serve() async {
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
            await refuse(.serviceUnavailable, error.message, error.request)
        } catch {
            // The client has disconnected, so there is nobody to send an error to.
        }
    }

    /// Responds to a request, and returns whether the connection stays open for another one.
    ///
    /// The body of the request is freed as soon as the response is made.
    private mutating func answer(_ request: inout Request) async throws -> Bool {
        request.peerAddress = peerAddress
        request.arrivalMilliseconds = arrivalBegan.map { context.now - $0 } ?? 0
        var response: Response
        var listSize: Int?
        switch service.respond(request) {
        case .now(let made): response = made
        case .later(let size, let respond):
            listSize = size
            if let size { try await context.takeTurn(request, of: channel, size: size) }
            response = await respond()
        }
        var reserved = context.note(made: response.body, listSize: listSize)
        defer { if reserved > 0 { sender.budget.release(reserved) } }
        if let stream = response.stream {
            return try await send(stream, of: response, to: &request)
        }
        if !request.body.isEmpty { request.body = [] }
        if countedBytes > 0 { try countMemory() }
        if response.isShed {
            _ = await hold(until: context.now + Int64(limits.refusalMilliseconds))
        }
        let keepsAlive = request.keepsAlive && mayAskAgain
        let framing = ResponseFraming(
            isHead: request.method == .head,
            keepsAlive: keepsAlive,
            isHTTP10: request.isHTTP10
        )
        // The memory of a large list stays reserved until the client has it.
        if context.sendsTogether, keepsAlive, willWait, reserved == 0 {
            sender.post(response, framing)
            return true
        }
        let rest = try sender.begin(response, framing)
        // The rest of the response has the only reference to the body, so that it can be dropped.
        response.body = []
        if let rest {
            let returned = reserved
            reserved = 0
            try await sender.finish(rest, releasing: returned)
        }
        return keepsAlive
    }

    /// Whether the task certainly waits for the next request after a response.
    private var willWait: Bool {
        unparsed.isEmpty && limits.idleMilliseconds > 0 && !context.isDraining
    }

    /// Sends a streamed response, and returns whether the connection stays open.
    ///
    /// The body of the request is freed first.
    private mutating func send(
        _ stream: any BodyStream,
        of response: Response,
        to request: inout Request
    ) async throws -> Bool {
        // HTTP/1.0 has no chunks, so only the end of the connection ends the body.
        let framing = ResponseFraming(
            isHead: request.method == .head,
            keepsAlive: request.keepsAlive && mayAskAgain && !request.isHTTP10
                && !response.endsConnection,
            isHTTP10: request.isHTTP10
        )
        let sender = StreamSender(stream, sender: sender, framing)
        defer { sender.close(response.streamDidEnd) }
        // A stream may be open for hours.
        request.body = []
        request.headers = Headers()
        if countedBytes > 0 { try countMemory() }
        try await sender.send(response)
        return framing.keepsAlive
    }

    /// Delays the rejection of a client until this time in ms of the loop's clock.
    ///
    /// Returns false if the client disconnects or the server stops before.
    func hold(until deadline: Int64) async -> Bool {
        guard !context.isDraining else { return false }
        context.heldCount += 1
        defer { context.heldCount -= 1 }
        return await channel.wait(for: .nothing, until: deadline, isInterruptible: true)
            == .timedOut
    }

    /// Whether another request is served.
    ///
    /// During a shutdown, this is only a request that arrived in time, together with the last one.
    private var mayAskAgain: Bool {
        guard let drainDeadline = context.drainDeadline else { return true }
        return !unparsed.isEmpty && context.now < drainDeadline
    }

    /// Lets the loop's other connections continue after every few pipelined requests.
    private mutating func takeTurns() async throws {
        requestsInTurn = unparsed.isEmpty ? 0 : requestsInTurn + 1
        guard requestsInTurn >= Self.requestsAtOnce else { return }
        requestsInTurn = 0
        try await sender.waitUntilWritable()
    }

    // MARK: Reading

    /// Returns the next request, or nil if the client has disconnected or was idle too long.
    private mutating func nextRequest() async throws -> Request? {
        if !unparsed.isEmpty {
            let outcome = try parseLeftovers()
            if case .complete(let request) = outcome { return request }
            try await note(outcome)
        }
        var isCut = false
        while true {
            let isIdle = phase == .idle
            let readiness =
                isCut
                ? .ready
                : await waitForBytes(
                    until: isIdle ? idleDeadline : phaseDeadline,
                    isInterruptible: isIdle && !context.isDraining,
                    receivesAhead: isIdle
                )
            isCut = false
            switch readiness {
            case .interrupted: continue
            case .unsent:
                try await sender.finish(channel.takeUnsent())
                enter(.idle)
                continue
            case .timedOut where !isIdle:
                let message = "The request took too long to arrive."
                await refuse(.requestTimeout, message, parser.partialRequest)
                return nil
            // A request may have arrived since the loop last checked, so don't close yet.
            case .ready, .timedOut, .givenUp, .woken: break
            }
            let delivery =
                channel.takeDelivery() ?? context.inbox.receive(from: channel.descriptor)
            switch delivery.transfer {
            case .wouldBlock where readiness == .timedOut: return nil
            case .wouldBlock: continue
            case .closed: return nil
            case .moved(let count):
                isCut = delivery.isCut
                let outcome = try parse(delivery.start..<delivery.start + count)
                if case .complete(let request) = outcome { return request }
                try await note(outcome)
                // Empty lines are not a request, and the time for one is over.
                if readiness == .timedOut && phase == .idle { return nil }
            }
        }
    }

    /// The deadline for the next request of a connection without one.
    private var idleDeadline: Int64 {
        guard let drainDeadline = context.drainDeadline else { return phaseDeadline }
        // If the last response took longer than the drain, it didn't announce the end.
        let idleSince = phaseDeadline - Int64(limits.idleMilliseconds)
        let grace = idleSince + Int64(limits.drainMilliseconds)
        return min(phaseDeadline, max(drainDeadline, grace))
    }

    /// Waits until there is something to read, or until the deadline.
    ///
    /// The deadline is fixed, because a client that trickles bytes would extend any other.
    private func waitForBytes(
        until deadline: Int64,
        isInterruptible: Bool,
        receivesAhead: Bool = false
    ) async -> Readiness {
        if context.now >= deadline { return .timedOut }
        return await channel.wait(
            for: .reading,
            until: deadline,
            isInterruptible: isInterruptible,
            receivesAhead: receivesAhead
        )
    }

    /// Parses a range of the inbox's buffer after the unparsed bytes.
    private mutating func parse(_ range: Range<Int>) throws -> RequestParser.Outcome {
        let received = context.inbox.buffer
        if !unparsed.isEmpty {
            unparsed.append(contentsOf: received[range])
            return try parseLeftovers()
        }
        let progress = try parser.parse(received.span.extracting(range))
        if progress.consumed < range.count {
            unparsed.append(contentsOf: received[range].dropFirst(progress.consumed))
        }
        try countComplete(progress.outcome)
        return progress.outcome
    }

    private mutating func parseLeftovers() throws -> RequestParser.Outcome {
        let received = unparsed
        let progress = try parser.parse(received.span)
        let rest = received.dropFirst(progress.consumed)
        // A slice retains its whole array. Each byte is copied once on average.
        unparsed = rest.startIndex > rest.count ? ArraySlice(Array(rest)) : rest
        try countComplete(progress.outcome)
        return progress.outcome
    }

    /// Counts the memory of a complete request.
    private mutating func countComplete(_ outcome: RequestParser.Outcome) throws {
        guard case .complete(let request) = outcome,
            countedBytes > 0 || !request.body.isEmpty || !unparsed.isEmpty
        else { return }
        try countMemory(of: request)
    }

    /// Takes note of what has arrived of an incomplete request.
    private mutating func note(_ outcome: RequestParser.Outcome) async throws {
        if outcome == .needsContinue {
            try await sender.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        try countMemory()
        if parser.phase != phase { enter(parser.phase) }
    }

    private mutating func enter(_ phase: RequestParser.Phase) {
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

    /// Updates the memory that the budget counts, including `request`, which has no response yet.
    ///
    /// Throws if the memory exceeds the budget.
    private mutating func countMemory(of request: Request? = nil) throws(RequestWithoutRoom) {
        // The fields of a partial head are also held as text, and pipelined requests may have twice
        // the capacity that they need.
        let held = parser.heldBytes + 2 * unparsed.count + (request?.body.capacity ?? 0)
        let counted = held > Self.freeBytes ? held : 0
        guard counted != countedBytes else { return }
        do {
            if countedBytes == 0 { countedAddress = address(of: request) }
            try budget.change(from: countedBytes, to: counted, for: countedAddress)
            if counted < countedBytes { context.note(held: countedBytes - counted) }
            countedBytes = counted
        } catch {
            budget.noteRefusal(error)
            var known = request ?? parser.partialRequest
            known?.body = []
            throw RequestWithoutRoom(message: error.requestMessage, request: known)
        }
    }

    /// Returns the address that a request counts for, or nil if it is not known.
    ///
    /// It is the client's, also if a proxy has sent the request.
    private func address(of request: Request?) -> IPAddress? {
        if let clientAddress { return clientAddress }
        guard var request = request ?? parser.partialRequest else { return nil }
        request.peerAddress = peerAddress
        return service.clientAddress(request)
    }

    /// Frees the input and its share of the budget.
    private mutating func dropInput() {
        parser = RequestParser(limits: limits)
        unparsed = []
        // A decrease never fails.
        try? countMemory()
    }

    // MARK: Ending

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
