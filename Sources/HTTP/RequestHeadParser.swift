/// A parser for the head of a request: request line, header fields, empty line (RFC 9112 section
/// 2).
///
/// The caller passes the same bytes again with more appended, and the parser continues where it
/// stopped.
struct RequestHeadParser: Sendable {
    private let limits: Limits
    private var line = RequestLineScanner()
    /// Nil until the request line is complete.
    private var fields: FieldScanner?
    /// Nil until the request line is complete, and again when `parse` has returned the head.
    private var request: Request?
    private var authority: String?
    private var framing = MessageFraming()

    /// A parsed head.
    struct Head {
        /// The request without its body.
        let request: Request
        let body: MessageFraming.Body
        /// Whether the client waits for `100 Continue` before it sends the body.
        let awaitsContinue: Bool
        /// The length of the head in bytes.
        let length: Int
    }

    init(limits: Limits) {
        self.limits = limits
    }

    /// Prepares for the next head.
    mutating func reset() {
        line = RequestLineScanner()
        fields = nil
        request = nil
        authority = nil
        framing = MessageFraming()
    }

    /// The parsed part of the request; nil before its first line is complete and after its head.
    var partialRequest: Request? { request }

    /// Whether the method is HEAD, as soon as it is known.
    var isHead: Bool { line.isHead }

    /// Parses the head at the start of `bytes`; returns nil if it is incomplete.
    mutating func parse(_ bytes: Span<UInt8>) throws(ParseError) -> Head? {
        // Stopping at the limit makes errors independent of how the bytes arrive.
        let limit = min(bytes.count, limits.headBytes)
        if let length = try parse(bytes, upTo: limit) { return try head(length: length) }
        guard bytes.count <= limits.headBytes else { throw .headTooLarge }
        return nil
    }

    private mutating func parse(_ bytes: Span<UInt8>, upTo limit: Int) throws(ParseError) -> Int? {
        if fields == nil {
            let end = try line.scan(bytes, upTo: limit, targetBytes: limits.targetBytes)
            guard let end else { return nil }
            try readLine(bytes)
            fields = FieldScanner(startingAt: end)
        }
        while true {
            switch try fields?.next(in: bytes, upTo: limit) {
            case .field: try readField(bytes)
            case .end: return fields?.end
            case .needsMore, nil: return nil
            }
        }
    }

    private mutating func readLine(_ bytes: Span<UInt8>) throws(ParseError) {
        let isHTTP10 = try Self.isHTTP10(bytes.extracting(line.version))
        let method = Method(bytes.extracting(line.method))
        guard method.rawValue != "CONNECT" else { throw .connectUnsupported }
        let target = try RequestTarget(bytes.extracting(line.target), method: method)
        authority = target.authority
        request = Request(
            method: method,
            path: target.path,
            query: target.query,
            isHTTP10: isHTTP10
        )
        request?.headers.reserveCapacity(12)
    }

    private static func isHTTP10(_ version: Span<UInt8>) throws(ParseError) -> Bool {
        // The name of the protocol is case-sensitive: RFC 9112 section 2.3.
        guard version.count == 8, version.extracting(first: 5).equals("HTTP/".utf8.span),
            version[5].isDigit, version[6] == UInt8(ascii: "."), version[7].isDigit
        else { throw .malformedRequestLine }
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return version[7] == UInt8(ascii: "0")
    }

    private mutating func readField(_ bytes: Span<UInt8>) throws(ParseError) {
        guard let fields, let count = request?.headers.fields.count else { return }
        guard count < limits.headerCount else { throw .tooManyFields }
        let name = String(lowercasing: bytes.extracting(fields.name))
        let value = bytes.extracting(fields.value)
        try framing.note(name, value)
        request?.headers.append(name, String(repairing: value))
    }

    /// Returns the complete head, and forgets its request.
    private mutating func head(length: Int) throws(ParseError) -> Head? {
        let isHTTP10 = request?.isHTTP10 ?? false
        // An error leaves the request, so that its response has the format of the path.
        let body = try framing.body(isHTTP10: isHTTP10, limits: limits)
        guard var request = request.take() else { return nil }
        request.keepsAlive = framing.keepsAlive(isHTTP10: isHTTP10)
        // The target's authority overrides Host: RFC 9112 section 3.2.2.
        if let authority { request.headers.replace("host", with: authority) }
        let awaitsContinue = framing.awaitsContinue(isHTTP10: isHTTP10)
        return Head(request: request, body: body, awaitsContinue: awaitsContinue, length: length)
    }
}
