/// A strict parser for JSON (RFC 8259).
///
/// It makes one pass over the bytes, and recurses once per nesting level, at most `greatestDepth`
/// times.
package struct JSONParser {
    /// The greatest allowed nesting depth, which fits the smallest stack that the parser runs on.
    ///
    /// It is one more than that of a request's body: an event's data is deeper in a feature.
    package static let greatestDepth = 513

    /// The offset of the next byte.
    var offset = 0
    let maximumDepth: Int

    /// Parses a document: one value, with optional white space around it.
    ///
    /// A byte order mark at the start is skipped. The text must be UTF-8. Documents that are empty,
    /// truncated, or followed by anything but white space are malformed. O(n).
    ///
    /// - Parameters:
    ///   - bytes: The whole document.
    ///   - maximumDepth: The greatest nesting depth of arrays and objects; at most `greatestDepth`.
    /// - Throws: The problem and the position of the first byte that doesn't fit.
    /// - Returns: The document's value.
    package static func parse(
        _ bytes: Span<UInt8>,
        maximumDepth: Int
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(maximumDepth: min(maximumDepth, greatestDepth))
        parser.offset = parser.byteOrderMarkLength(in: bytes)
        let value = try parser.parseValue(in: bytes, depth: 0)
        parser.skipWhiteSpace(in: bytes)
        guard parser.offset == bytes.count else {
            throw parser.mismatch("the end of the text", in: bytes)
        }
        return value
    }

    private init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Returns 3 if the text starts with a byte order mark (RFC 8259, section 8.1), otherwise 0.
    func byteOrderMarkLength(in bytes: Span<UInt8>) -> Int {
        guard bytes.count >= 3 else { return 0 }
        return bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Parses any value inside `depth` arrays and objects.
    private mutating func parseValue(
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> JSONValue {
        skipWhiteSpace(in: bytes)
        guard let byte = peek(in: bytes) else { throw mismatch("a value", in: bytes) }
        switch byte {
        case UInt8(ascii: "\""):
            return .string(try parseString(in: bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try parseNumber(in: bytes))
        case UInt8(ascii: "{"):
            return .object(try parseObject(in: bytes, depth: depth))
        case UInt8(ascii: "["):
            return .array(try parseArray(in: bytes, depth: depth))
        case UInt8(ascii: "t"):
            return try parse("true", as: .boolean(true), in: bytes)
        case UInt8(ascii: "f"):
            return try parse("false", as: .boolean(false), in: bytes)
        case UInt8(ascii: "n"):
            return try parse("null", as: .null, in: bytes)
        default:
            throw mismatch("a value", in: bytes)
        }
    }

    private mutating func parseObject(
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> JSONObject {
        try checkDepth(depth, in: bytes)
        offset += 1
        skipWhiteSpace(in: bytes)
        var members: [JSONObject.Member] = []
        guard !skip(UInt8(ascii: "}"), in: bytes) else { return JSONObject(members) }
        repeat {
            members.append(try parseMember(in: bytes, depth: depth))
            skipWhiteSpace(in: bytes)
        } while skip(UInt8(ascii: ","), in: bytes)
        guard skip(UInt8(ascii: "}"), in: bytes) else {
            throw mismatch(#""," or "}""#, in: bytes)
        }
        return JSONObject(members)
    }

    private mutating func parseMember(
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> JSONObject.Member {
        skipWhiteSpace(in: bytes)
        guard peek(in: bytes) == UInt8(ascii: "\"") else {
            throw mismatch("a key in quotes", in: bytes)
        }
        let key = try parseString(in: bytes)
        skipWhiteSpace(in: bytes)
        guard skip(UInt8(ascii: ":"), in: bytes) else { throw mismatch(#"":""#, in: bytes) }
        return JSONObject.Member(key, try parseValue(in: bytes, depth: depth + 1))
    }

    private mutating func parseArray(
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> [JSONValue] {
        try checkDepth(depth, in: bytes)
        offset += 1
        skipWhiteSpace(in: bytes)
        var elements: [JSONValue] = []
        guard !skip(UInt8(ascii: "]"), in: bytes) else { return elements }
        repeat {
            elements.append(try parseValue(in: bytes, depth: depth + 1))
            skipWhiteSpace(in: bytes)
        } while skip(UInt8(ascii: ","), in: bytes)
        guard skip(UInt8(ascii: "]"), in: bytes) else {
            throw mismatch(#""," or "]""#, in: bytes)
        }
        return elements
    }

    private func checkDepth(_ depth: Int, in bytes: Span<UInt8>) throws(JSONError) {
        guard depth < maximumDepth else {
            throw error("nested more than \(maximumDepth) levels deep", in: bytes)
        }
    }

    private mutating func parse(
        _ literal: StaticString,
        as value: JSONValue,
        in bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        for byte in literal.description.utf8 {
            guard skip(byte, in: bytes) else { throw mismatch(#""\#(literal)""#, in: bytes) }
        }
        return value
    }
}

extension JSONParser {
    /// Returns the next byte, or nil at the end of the text.
    @inline(__always)
    func peek(in bytes: Span<UInt8>) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    /// Skips the next byte if it is `byte`, and returns whether it was.
    @inline(__always)
    mutating func skip(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
        guard peek(in: bytes) == byte else { return false }
        offset += 1
        return true
    }

    /// Skips white space as defined in RFC 8259, section 2.
    @inline(__always)
    private mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }
}
