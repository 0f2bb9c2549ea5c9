import Bytes

/// A parser for the requests of a connection, one after another, from bytes as they arrive.
///
/// It is strict where RFC 9112 allows leniency, because different interpretations of a message make
/// request smuggling possible. It does no input or output. After a `ParseError`, the connection
/// must be closed.
package struct RequestParser: Sendable {
    /// The result of parsing the bytes so far.
    package struct Progress: Sendable, Equatable {
        /// The number of bytes that are processed; the rest must be passed again.
        package let consumed: Int
        package let outcome: Outcome
    }

    package enum Outcome: Sendable, Equatable {
        /// The request is incomplete.
        case needsMore
        /// The request is incomplete, and the client waits for `100 Continue` (RFC 9110 section
        /// 10.1.1).
        ///
        /// This is returned once per request.
        case needsContinue
        case complete(Request)
    }

    /// The part of a request that the connection waits for, which determines the timeout.
    package enum Phase: Sendable, Equatable {
        /// No byte of a request has arrived, except for an empty line before it.
        case idle
        case head
        case body
    }

    package private(set) var phase = Phase.idle

    /// The request in progress without its body, and possibly without some headers.
    ///
    /// It is nil before its first line is complete.
    package var partialRequest: Request? { request ?? head.partialRequest }

    /// The memory of the request in progress, in bytes.
    ///
    /// It doesn't include bytes that `parse` has not consumed. It is stored because computing it
    /// would copy the parser for each request.
    package private(set) var heldBytes = 0

    /// Whether the method of the request in progress is HEAD.
    ///
    /// It is known before the first line is complete, even if the line is malformed.
    package var isHead: Bool { head.isHead }

    private let limits: Limits
    private var head: RequestHeadParser
    /// The size of the head whose body is being read.
    private var headBytes = 0
    private var hasSkippedEmptyLine = false
    /// The request whose body is being read.
    private var request: Request?
    private var body: [UInt8] = []
    /// The number of missing bytes of a body of known length.
    private var remaining = 0
    private var chunked: ChunkedDecoder?

    package init(limits: Limits) {
        self.limits = limits
        head = RequestHeadParser(limits: limits)
    }

    /// Continues with `bytes`, which must be all unconsumed bytes; stops after a complete request.
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

    /// Returns the length of an empty line that some clients send after a body (RFC 9112 section
    /// 2.2).
    private mutating func skipEmptyLine(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        guard !hasSkippedEmptyLine, bytes.count > 1, bytes[0] == .carriageReturn else { return 0 }
        guard bytes[1] == .lineFeed else { throw .bareLineEnd }
        hasSkippedEmptyLine = true
        return 2
    }

    private mutating func begin(
        _ head: consuming RequestHeadParser.Head,
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

    /// Reserves space for bytes of a body of known length.
    ///
    /// It grows as bytes arrive, because clients may announce bodies that they never send, and
    /// never beyond the announced length.
    private mutating func reserveBody(_ count: Int) {
        let needed = body.count + count
        guard needed > body.capacity else { return }
        body.reserveCapacity(max(needed, min(2 * body.capacity, body.count + remaining)))
    }

    /// Prepares for the next request.
    private mutating func reset() {
        phase = .idle
        head.reset()
        hasSkippedEmptyLine = false
        // Most requests have no body.
        guard request != nil else { return }
        request = nil
        heldBytes = 0
        headBytes = 0
        body = []
        remaining = 0
        chunked = nil
    }
}
