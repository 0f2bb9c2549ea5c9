import Bytes

/// A decoder for the chunked transfer coding (RFC 9112 section 7.1).
struct ChunkedDecoder: Sendable {
    /// The maximum number of digits in a chunk's size, including leading zeros.
    static let maximumSizeDigits = 16

    private enum Stage {
        case size, extensions, sizeLineFeed, data, dataCarriageReturn, dataLineFeed, trailers, end
    }

    /// Whether the last chunk and the trailer section have been read.
    var isComplete: Bool { stage == .end }

    private let limits: Limits
    private var stage = Stage.size
    private var digits = 0
    private var extensions = ChunkExtensionScanner()
    /// The size of all chunks' extensions so far, in bytes.
    private var extensionBytes = 0
    /// The size of the chunk, or its unread rest while its data is read.
    private var size = 0
    private var trailers = FieldScanner(startingAt: 0)
    private var trailerCount = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// Appends the data in `bytes` to `body`, and returns the number of bytes that it consumed.
    ///
    /// The trailer section is consumed when it is complete, then validated and dropped.
    mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8]) throws(ParseError) -> Int {
        var index = 0
        while index < bytes.count {
            switch stage {
            case .data:
                index += takeData(bytes.extracting(droppingFirst: index), into: &body)
            case .trailers:
                return index + (try readTrailers(bytes.extracting(droppingFirst: index)))
            case .end:
                return index
            default:
                try readControl(bytes[index], decoded: body.count)
                index += 1
            }
        }
        return index
    }

    private mutating func readControl(_ byte: UInt8, decoded: Int) throws(ParseError) {
        switch stage {
        case .size:
            try readSize(byte, decoded: decoded)
        case .extensions:
            try readExtension(byte)
        case .sizeLineFeed:
            guard byte == .lineFeed else { throw .invalidChunkSize }
            stage = size == 0 ? .trailers : .data
        case .dataCarriageReturn:
            guard byte == .carriageReturn else { throw .invalidChunkEnd }
            stage = .dataLineFeed
        default:
            guard byte == .lineFeed else { throw .invalidChunkEnd }
            beginChunk()
        }
    }

    private mutating func beginChunk() {
        stage = .size
        digits = 0
        extensions = ChunkExtensionScanner()
        size = 0
    }

    private mutating func readSize(_ byte: UInt8, decoded: Int) throws(ParseError) {
        if let digit = byte.hexValue, digits < Self.maximumSizeDigits {
            digits += 1
            let (product, overflows) = size.multipliedReportingOverflow(by: 16)
            guard !overflows, product <= limits.bodyBytes - decoded - Int(digit) else {
                throw .contentTooLarge
            }
            size = product + Int(digit)
        } else if digits > 0, byte == .carriageReturn {
            stage = .sizeLineFeed
        } else if digits > 0, byte == UInt8(ascii: ";") || byte.isBlank {
            stage = .extensions
            try readExtension(byte)
        } else {
            throw .invalidChunkSize
        }
    }

    private mutating func readExtension(_ byte: UInt8) throws(ParseError) {
        if byte == .carriageReturn, extensions.canEnd {
            stage = .sizeLineFeed
            return
        }
        guard extensions.accepts(byte) else { throw .invalidChunkExtension }
        guard extensionBytes < limits.chunkExtensionBytes else { throw .chunkExtensionsTooLarge }
        extensionBytes += 1
    }

    private mutating func takeData(_ bytes: Span<UInt8>, into body: inout [UInt8]) -> Int {
        let count = min(size, bytes.count)
        body.append(copying: bytes.extracting(first: count))
        size -= count
        if size == 0 { stage = .dataCarriageReturn }
        return count
    }

    private mutating func readTrailers(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        let limit = min(bytes.count, limits.headBytes)
        while true {
            switch try trailers.next(in: bytes, upTo: limit) {
            case .field:
                trailerCount += 1
                guard trailerCount <= limits.headerCount else { throw .trailersTooLarge }
            case .end:
                stage = .end
                return trailers.end
            case .needsMore:
                guard bytes.count <= limits.headBytes else { throw .trailersTooLarge }
                return 0
            }
        }
    }
}
