/// The header fields that determine the length of the body, and whether the connection stays open.
///
/// See RFC 9112, sections 6, 7 and 9.
struct MessageFraming: Sendable {
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
    }

    private var hasHost = false
    private var contentLength: Int?
    private var transferCodings: TransferCodings?
    private var listsClose = false
    private var listsKeepAlive = false
    private var expectsContinue = false
    private var expectsOther = false

    /// Processes a field if it is one of these; `name` must be in lower case.
    mutating func note(_ name: String, _ value: Span<UInt8>) throws(ParseError) {
        // Comparing the lengths first means a single comparison for most fields.
        switch name.utf8.count {
        case 4 where name == "host": try noteHost(value)
        case 6 where name == "expect": noteExpectation(value)
        case 10 where name == "connection": noteConnection(value)
        case 14 where name == "content-length": try noteContentLength(value)
        case 17 where name == "transfer-encoding":
            transferCodings = (transferCodings ?? TransferCodings()).adding(value)
        default: break
        }
    }

    /// Returns the kind of body that follows the complete head.
    func body(isHTTP10: Bool, limits: Limits) throws(ParseError) -> Body {
        guard hasHost || isHTTP10 else { throw .missingHost }
        if let transferCodings {
            guard !isHTTP10 else { throw .transferEncodingInHTTP10 }
            guard contentLength == nil else { throw .conflictingLengths }
            try transferCodings.requireChunked()
        }
        guard !expectsOther || isHTTP10 else { throw .unknownExpectation }
        if transferCodings != nil { return .chunked }
        guard let contentLength, contentLength > 0 else { return .none }
        guard contentLength <= limits.bodyBytes else { throw .contentTooLarge }
        return .length(contentLength)
    }

    /// Returns whether the client waits for `100 Continue` before it sends the body.
    func awaitsContinue(isHTTP10: Bool) -> Bool {
        expectsContinue && !isHTTP10
    }

    /// Returns whether the connection stays open after the response (RFC 9112 section 9.3).
    func keepsAlive(isHTTP10: Bool) -> Bool {
        !listsClose && (listsKeepAlive || !isHTTP10)
    }

    private mutating func noteHost(_ value: Span<UInt8>) throws(ParseError) {
        guard !hasHost else { throw .repeatedHost }
        guard HostField.isValid(value) else { throw .invalidHost }
        hasHost = true
    }

    private mutating func noteExpectation(_ value: Span<UInt8>) {
        if value.equalsIgnoringCase("100-continue") {
            expectsContinue = true
        } else {
            expectsOther = true
        }
    }

    private mutating func noteConnection(_ value: Span<UInt8>) {
        var options = ListScanner()
        while let range = options.next(in: value) {
            let option = value.extracting(range)
            if option.equalsIgnoringCase("close") { listsClose = true }
            if option.equalsIgnoringCase("keep-alive") { listsKeepAlive = true }
        }
    }

    private mutating func noteContentLength(_ value: Span<UInt8>) throws(ParseError) {
        guard contentLength == nil else { throw .repeatedContentLength }
        guard value.count > 0 else { throw .invalidContentLength }
        var length = 0
        for index in value.indices {
            guard value[index].isDigit else { throw .invalidContentLength }
            let (product, overflows) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Int(value[index] - 0x30))
            guard !overflows, !overflowsToo else { throw .invalidContentLength }
            length = sum
        }
        contentLength = length
    }
}

/// The codings in the `Transfer-Encoding` fields of a request, in order.
private struct TransferCodings: Sendable {
    private var isMalformed = false
    private var endsWithChunked = false
    private var hasOther = false

    /// Returns these codings followed by those of another field.
    func adding(_ value: Span<UInt8>) -> TransferCodings {
        var codings = self
        var list = ListScanner()
        while let range = list.next(in: value) { codings.add(value.extracting(range)) }
        return codings
    }

    private mutating func add(_ coding: Span<UInt8>) {
        // Nothing can follow chunked, including another chunked.
        if endsWithChunked || coding.count == 0 { isMalformed = true }
        if coding.equalsIgnoringCase("chunked") {
            endsWithChunked = true
        } else {
            hasOther = true
        }
    }

    /// Throws unless the only coding is chunked, once.
    func requireChunked() throws(ParseError) {
        guard !isMalformed else { throw .invalidTransferEncoding }
        guard !hasOther else { throw .unsupportedTransferCoding }
    }
}
