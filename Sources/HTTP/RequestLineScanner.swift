/// A scanner for a request line: `method SP target SP version CRLF` (RFC 9112 section 3).
///
/// The caller passes the same bytes again with more appended, and the scanner continues where it
/// stopped.
struct RequestLineScanner: Sendable {
    private enum Stage { case method, target, version }

    /// The range of the method, once the line is complete.
    private(set) var method = 0..<0
    /// The range of the target, once the line is complete.
    private(set) var target = 0..<0
    /// The range of the version, once the line is complete.
    private(set) var version = 0..<0

    /// Whether the method is HEAD; known before the line is complete, even if it is malformed.
    private(set) var isHead = false

    private var stage = Stage.method
    private var scanned = 0

    /// Returns the offset after the line; nil if it doesn't end within the first `limit` bytes.
    mutating func scan(
        _ bytes: Span<UInt8>,
        upTo limit: Int,
        targetBytes: Int
    ) throws(ParseError) -> Int? {
        if stage == .method {
            guard try scanMethod(bytes, upTo: limit) else { return nil }
        }
        if stage == .target {
            guard try scanTarget(bytes, upTo: limit, targetBytes: targetBytes) else { return nil }
        }
        return try scanVersion(bytes, upTo: limit)
    }

    private mutating func scanMethod(
        _ bytes: Span<UInt8>,
        upTo limit: Int
    ) throws(ParseError) -> Bool {
        var index = scanned
        while index < limit, bytes[index].isToken { index += 1 }
        scanned = index
        guard index < limit else { return false }
        guard bytes[index] == .space, index > 0 else {
            throw bytes[index].isLineEnd ? .malformedRequestLine : .invalidMethod
        }
        method = 0..<index
        isHead = bytes.extracting(method).equals("HEAD".utf8.span)
        target = index + 1..<index + 1
        scanned = index + 1
        stage = .target
        return true
    }

    private mutating func scanTarget(
        _ bytes: Span<UInt8>,
        upTo limit: Int,
        targetBytes: Int
    ) throws(ParseError) -> Bool {
        let start = target.lowerBound
        let longest = start + min(targetBytes, limit - start)
        var index = scanned
        while index < longest, bytes[index].isInTarget { index += 1 }
        scanned = index
        guard index < limit else { return false }
        guard bytes[index] == .space, index > start else {
            if bytes[index].isInTarget { throw .targetTooLong }
            throw bytes[index].isLineEnd || index == start ? .malformedRequestLine : .invalidTarget
        }
        target = start..<index
        version = index + 1..<index + 1
        scanned = index + 1
        stage = .version
        return true
    }

    private mutating func scanVersion(
        _ bytes: Span<UInt8>,
        upTo limit: Int
    ) throws(ParseError) -> Int? {
        let start = version.lowerBound
        var index = scanned
        while index < limit, bytes[index].isVisible { index += 1 }
        scanned = index
        guard index < limit else { return nil }
        guard bytes[index] == .carriageReturn else {
            throw bytes[index] == .lineFeed ? .bareLineEnd : .malformedRequestLine
        }
        guard index + 1 < limit else { return nil }
        guard bytes[index + 1] == .lineFeed else { throw .bareLineEnd }
        version = start..<index
        return index + 2
    }
}

extension UInt8 {
    fileprivate var isLineEnd: Bool {
        self == .carriageReturn || self == .lineFeed
    }

    /// Clients never send the fragment, so a target can't contain `#`.
    fileprivate var isInTarget: Bool {
        isVisible && self != UInt8(ascii: "#")
    }
}
