import JSON

/// The JSON parser: what it accepts keeps the limit, and writes and reads back the same.
///
/// The first byte chooses how deep the document may be.
func fuzzJSON(_ input: inout FuzzInput) {
    let depth = [64, 0, 1, 2, 3, 512, 4096, Int.max][input.choice(below: 8)]
    let document = input.rest()
    let value: JSONValue
    do throws(JSONError) {
        value = try parse(document, maximumDepth: depth)
    } catch {
        expect(error.line >= 1 && error.column >= 1, error.message)
        expect(error.column <= document.count + 1, error.message)
        return
    }

    expect(value.depth <= min(depth, JSONParser.greatestDepth), "\(value.depth) levels")
    let text = value.text
    expect(text.isUTF8, "what is written is not UTF-8")
    expect(text.allSatisfy { $0 >= 0x20 }, "what is written has control characters")
    let again = Result { () throws(JSONError) in try parse(text, maximumDepth: depth) }
    expect(again == .success(value), "it reads back as \(again)")
    expect((try? again.get().text) == text, "it is written otherwise the second time")
}

private func parse(_ bytes: [UInt8], maximumDepth: Int) throws(JSONError) -> JSONValue {
    try JSONParser.parse(bytes.span, maximumDepth: maximumDepth)
}

extension JSONValue {
    /// How many arrays and objects are open around its innermost value.
    fileprivate var depth: Int {
        switch self {
        case .null, .boolean, .number, .string: 0
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map(\.value.depth).max() ?? 0)
        }
    }

    fileprivate var text: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let boolean): writer.value(boolean)
        case .number(let number):
            check(number: number)
            writer.encoded(number.utf8Span.span)
        case .string(let string): writer.value(string)
        case .array(let elements): writer.array(elements) { $1.write(to: &$0) }
        case .object(let object):
            writer.object { writer in
                for member in object.members {
                    writer.key(text: member.key)
                    member.value.write(to: &writer)
                }
            }
        }
    }
}

/// Checks that a number as a Double is written so that it reads back as the same.
private func check(number: String) {
    guard let double = Double(number), double.isFinite else { return }
    var writer = JSONWriter()
    writer.value(double)
    let bytes = writer.bytes
    guard case .number(let read) = try? JSONParser.parse(bytes.span, maximumDepth: 0) else {
        finding("\(double) is not written as a number")
    }
    expect(Double(read)?.bitPattern == double.bitPattern, "\(double) reads back as \(read)")
    guard let int64 = Int64(number) else { return }
    var integers = JSONWriter()
    integers.value(int64)
    expect(integers.bytes == Array(String(int64).utf8), "\(int64) as \(integers.bytes)")
}
