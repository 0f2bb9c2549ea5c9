import JSON

/// Parses a text; `maximumDepth` is the server's own unless a test is about it.
func parse(_ text: String, maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8), maximumDepth: maximumDepth)
}

/// Parses bytes that need not be a text.
func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
    try JSONParser.parse(bytes.span, maximumDepth: maximumDepth)
}

/// What the parser says of bytes that it must refuse; nil if it takes them.
func refusal(of bytes: [UInt8], maximumDepth: Int = 64) -> String? {
    do throws(JSONError) {
        _ = try parse(bytes, maximumDepth: maximumDepth)
        return nil
    } catch {
        return error.message
    }
}

/// What the parser says of a text that it must refuse; nil if it takes it.
func refusal(of text: String, maximumDepth: Int = 64) -> String? {
    refusal(of: Array(text.utf8), maximumDepth: maximumDepth)
}

extension JSONValue {
    /// The value written again, numbers as they were read.
    var written: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value of a member of an object.
    subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }
}

extension JSONWriter {
    /// Writes what was parsed; the keys of tests are written as strings, not as static ones.
    mutating func value(_ json: JSONValue) {
        switch json {
        case .null: null()
        case .boolean(let boolean): value(boolean)
        case .number(let number): encoded(number.utf8Span.span)
        case .string(let string): value(string)
        case .array(let elements): array(elements) { $0.value($1) }
        case .object(let object): encoded(JSONWriter.encode(object).span)
        }
    }

    private static func encode(_ object: JSONObject) -> [UInt8] {
        var members: [[UInt8]] = []
        for member in object.members {
            var key = JSONWriter()
            key.value(member.key)
            var value = JSONWriter()
            value.value(member.value)
            members.append(key.bytes + [UInt8(ascii: ":")] + value.bytes)
        }
        return Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
    }
}
