/// A scanner for header or trailer fields, line by line (RFC 9112 section 5).
///
/// The caller passes the same bytes again with more appended, and the scanner continues where it
/// stopped.
struct FieldScanner: Sendable {
    enum Event {
        case needsMore
        /// `name` and `value` contain a field.
        case field
        /// The empty line was found; `end` is the offset after it.
        case end
    }

    /// The range of the latest field's name.
    private(set) var name: Range<Int>
    /// The range of its value, without surrounding white space.
    private(set) var value: Range<Int>
    /// The offset after the last complete line.
    private(set) var end: Int

    private var isInValue = false
    private var scanned: Int

    /// Creates a scanner for fields that start at `start`.
    init(startingAt start: Int) {
        name = start..<start
        value = start..<start
        end = start
        scanned = start
    }

    /// Finds the next field within the first `limit` bytes.
    mutating func next(in bytes: Span<UInt8>, upTo limit: Int) throws(ParseError) -> Event {
        if !isInValue {
            guard try scanName(bytes, upTo: limit) else { return .needsMore }
            if scanned == end { return try scanEmptyLine(bytes, upTo: limit) }
            name = end..<scanned
            scanned += 1
            isInValue = true
        }
        return try scanValue(bytes, upTo: limit)
    }

    /// Moves to the colon, or to the start of an empty line; returns false if more bytes are
    /// needed.
    private mutating func scanName(
        _ bytes: Span<UInt8>,
        upTo limit: Int
    ) throws(ParseError) -> Bool {
        var index = scanned
        while index < limit, bytes[index].isToken { index += 1 }
        scanned = index
        guard index < limit else { return false }
        let isEmpty = index == end
        switch bytes[index] {
        case UInt8(ascii: ":") where !isEmpty: return true
        case .carriageReturn where isEmpty: return true
        case .lineFeed: throw .bareLineEnd
        case .space, .tab: throw isEmpty ? .foldedField : .spaceBeforeColon
        default: throw .invalidFieldName
        }
    }

    private mutating func scanEmptyLine(
        _ bytes: Span<UInt8>,
        upTo limit: Int
    ) throws(ParseError) -> Event {
        guard scanned + 1 < limit else { return .needsMore }
        guard bytes[scanned + 1] == .lineFeed else { throw .bareLineEnd }
        end = scanned + 2
        return .end
    }

    private mutating func scanValue(
        _ bytes: Span<UInt8>,
        upTo limit: Int
    ) throws(ParseError) -> Event {
        let index = bytes.endOfFieldContent(from: scanned, upTo: limit)
        scanned = index
        guard index < limit else { return .needsMore }
        guard bytes[index] == .carriageReturn else {
            throw bytes[index] == .lineFeed ? .bareLineEnd : .invalidFieldValue
        }
        guard index + 1 < limit else { return .needsMore }
        guard bytes[index + 1] == .lineFeed else { throw .bareLineEnd }
        value = bytes.trimmingBlanks(name.upperBound + 1..<index)
        end = index + 2
        scanned = end
        isInValue = false
        return .field
    }
}
