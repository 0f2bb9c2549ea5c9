import Bytes

/// Reads the requests of a connection, one after another, from the bytes as they arrive.
///
/// It is strict where RFC 9112 leaves room, because two readings of one message are how requests
/// are smuggled. It does no input or output. After a `ParseError` the connection can't go on.
package struct RequestParser: Sendable {
    /// How far the parser came with the bytes it was given.
    package struct Progress: Sendable, Equatable {
        /// The bytes at the beginning that are done with; the rest is to be given again.
        package let consumed: Int
        package let outcome: Outcome

        package init(consumed: Int, outcome: Outcome) {
            self.consumed = consumed
            self.outcome = outcome
        }
    }

    package enum Outcome: Sendable, Equatable {
        /// The request is incomplete.
        case needsMore
        /// The request is incomplete, and the client sends no more of it before it has been told
        /// `100 Continue` (RFC 9110 section 10.1.1); said once for a request.
        case needsContinue
        case complete(Request)
    }

    /// What the connection waits for, which tells the timeout that applies.
    package enum Phase: Sendable, Equatable {
        /// Not a byte of a request has been seen; an empty line before it does not count.
        case idle
        case head
        case body
    }

    package private(set) var phase = Phase.idle

    /// What is known of the request that is being read, still without its body and perhaps without
    /// some of its header fields; nil before its first line is complete.
    package var partialRequest: Request? { request ?? head.partialRequest }

    /// The memory, in bytes, that the request takes as far as it has been read; what was given to
    /// `parse` and not consumed is not part of it.
    ///
    /// It is stored, because to compute it would copy the parser for each request.
    package private(set) var heldBytes = 0

    /// Whether the method of the request that is being read is HEAD; known before its first line is
    /// complete, and also if that is malformed.
    package var isHead: Bool { head.isHead }

    private let limits: Limits
    private var head: RequestHeadParser
    /// The bytes of the head whose body is being read.
    private var headBytes = 0
    private var hasSkippedEmptyLine = false
    /// The request whose body is being read.
    private var request: Request?
    private var body: [UInt8] = []
    /// What is left of a body of known length.
    private var remaining = 0
    private var chunked: ChunkedDecoder?

    package init(limits: Limits) {
        self.limits = limits
        head = RequestHeadParser(limits: limits)
    }

    /// Reads on in `bytes`, which are all that arrived and was not consumed; what follows a
    /// complete request is not touched.
    package mutating func parse(_ bytes: Span<UInt8>) throws(ParseError) -> Progress {
        guard phase != .body else { return try parseBody(bytes, consumed: 0) }
        let start = phase == .idle ? try skipEmptyLine(bytes) : 0
        guard start < bytes.count else { return Progress(consumed: start, outcome: .needsMore) }
        let isLoneReturn = bytes.count - start == 1 && bytes[start] == .carriageReturn
        if isLoneReturn && phase == .idle && !hasSkippedEmptyLine {
            return Progress(consumed: start, outcome: .needsMore)
        }
        phase = .head
        guard let head = try head.parse(bytes.extracting(droppingFirst: start)) else {
            return Progress(consumed: start, outcome: .needsMore)
        }
        return try begin(head, bytes, consumed: start + head.length)
    }

    /// How many bytes the empty line takes that some clients send after a body (RFC 9112 section
    /// 2.2).
    private mutating func skipEmptyLine(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        guard !hasSkippedEmptyLine, bytes.count > 1, bytes[0] == .carriageReturn else { return 0 }
        guard bytes[1] == .lineFeed else { throw .bareLineEnd }
        hasSkippedEmptyLine = true
        return 2
    }

    private mutating func begin(
        _ head: RequestHeadParser.Head,
        _ bytes: Span<UInt8>,
        consumed: Int
    ) throws(ParseError) -> Progress {
        switch head.body {
        case .none:
            reset()
            return Progress(consumed: consumed, outcome: .complete(head.request))
        case .length(let length):
            remaining = length
        case .chunked:
            chunked = ChunkedDecoder(limits: limits)
        }
        phase = .body
        headBytes = head.length
        request = head.request
        if head.awaitsContinue, consumed == bytes.count {
            heldBytes = headBytes
            return Progress(consumed: consumed, outcome: .needsContinue)
        }
        return try parseBody(bytes, consumed: consumed)
    }

    private mutating func parseBody(
        _ bytes: Span<UInt8>,
        consumed: Int
    ) throws(ParseError) -> Progress {
        let rest = bytes.extracting(droppingFirst: consumed)
        let taken: Int
        let isComplete: Bool
        if chunked != nil {
            taken = try chunked?.decode(rest, into: &body) ?? 0
            isComplete = chunked?.isComplete ?? false
        } else {
            taken = min(remaining, rest.count)
            reserveBody(taken)
            body.append(copying: rest.extracting(first: taken))
            remaining -= taken
            isComplete = remaining == 0
        }
        guard isComplete, var request else {
            heldBytes = headBytes + body.capacity
            return Progress(consumed: consumed + taken, outcome: .needsMore)
        }
        request.body = body
        reset()
        return Progress(consumed: consumed + taken, outcome: .complete(request))
    }

    /// Makes room for so many bytes of a body of known length: as they arrive, because a client may
    /// announce what it never sends, and never for more than is announced.
    private mutating func reserveBody(_ count: Int) {
        let needed = body.count + count
        guard needed > body.capacity else { return }
        body.reserveCapacity(max(needed, min(2 * body.capacity, body.count + remaining)))
    }

    private mutating func reset() {
        self = RequestParser(limits: limits)
    }
}
