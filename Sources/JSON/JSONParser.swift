/// A strict parser of JSON (RFC 8259): what the grammar does not allow is refused.
///
/// It takes one pass over the bytes, recurses once for each level of nesting and never further than
/// `greatestDepth`, whatever the input.
package struct JSONParser {
    /// The levels of nesting that fit the smallest stack this runs on, whoever asks for more.
    package static let greatestDepth = 512

    /// Where the next byte to read is.
    var offset = 0
    let maximumDepth: Int

    /// The one value that `bytes` holds, with white space or nothing around it.
    ///
    /// A byte order mark at the very start is skipped. The text must be UTF-8, and a document that
    /// is empty, truncated, or followed by anything but white space is malformed. O(n).
    ///
    /// - Parameters:
    ///   - bytes: The whole document.
    ///   - maximumDepth: How many arrays and objects may be open at once; at most `greatestDepth`.
    /// - Throws: What is wrong and where, for the first byte that does not fit.
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

    /// 3 if the text begins with the mark that RFC 8259, section 8.1, lets a parser ignore, else 0.
    func byteOrderMarkLength(in bytes: Span<UInt8>) -> Int {
        guard bytes.count >= 3 else { return 0 }
        return bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Parses any value; `depth` arrays and objects are open around it.
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
        guard !skip(UInt8(ascii: "}"), in: bytes) else { return JSONObject(members: members) }
        repeat {
            members.append(try parseMember(in: bytes, depth: depth))
            skipWhiteSpace(in: bytes)
        } while skip(UInt8(ascii: ","), in: bytes)
        guard skip(UInt8(ascii: "}"), in: bytes) else {
            throw mismatch(#""," or "}""#, in: bytes)
        }
        return JSONObject(members: members)
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
        return JSONObject.Member(key: key, value: try parseValue(in: bytes, depth: depth + 1))
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
    /// The next byte, or nil at the end of the text.
    @inline(__always)
    func peek(in bytes: Span<UInt8>) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    /// Moves past the next byte if it is `byte`, and returns whether it was.
    @inline(__always)
    mutating func skip(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
        guard peek(in: bytes) == byte else { return false }
        offset += 1
        return true
    }

    /// Moves past what RFC 8259, section 2, calls white space, and nothing else.
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
