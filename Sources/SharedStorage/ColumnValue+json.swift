import JSON
import Rules

extension JSONWriter {
    /// Writes a value of a column; bytes are not written.
    mutating func stored(_ value: ColumnValue) {
        switch value {
        case .null, .bytes: null()
        case .integer(let integer): self.value(integer)
        case .double(let number): self.value(number)
        case .text(let text): self.value(text)
        case .boolean(let boolean): self.value(boolean)
        }
    }
}

extension ColumnValue {
    /// Reads what `JSONWriter.stored` has written, or nothing as null; nil for other kinds of
    /// values.
    init?(_ json: JSONValue?, of kind: ColumnKind) {
        switch (json ?? .null, kind) {
        case (.null, _): self = .null
        case (.number(let text), .integer):
            guard let integer = Int64(text) else { return nil }
            self = .integer(integer)
        case (.number(let text), .double):
            guard let number = Double(text) else { return nil }
            self = .double(number)
        case (.string(let text), .text): self = .text(text)
        case (.boolean(let boolean), .boolean): self = .boolean(boolean)
        default: return nil
        }
    }
}

extension JSONObject {
    /// Reads an object; nil for other texts.
    init?(stored text: String?) {
        guard let text,
            case .object(let object) = try? JSONParser.parse(Array(text.utf8).span, maximumDepth: 3)
        else { return nil }
        self = object
    }
}
