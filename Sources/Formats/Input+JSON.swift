package import JSON
package import Rules

extension Input {
    /// Creates the input of a JSON value; nil, where a key is missing, is absent.
    package init(_ value: JSONValue?) {
        switch value {
        case nil: self = .absent
        case .null: self = .null
        case .boolean(let boolean): self = .boolean(boolean)
        case .number(let text): self = .number(text)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map { Input($0) })
        case .object?:
            var writer = JSONWriter()
            value.map { writer.value($0) }
            self = .object(
                json: String(decoding: writer.bytes, as: UTF8.self),
                repeatedKey: value?.repeatedKey
            )
        }
    }

    /// The object whose JSON the text is, in files and forms that have only texts; the input itself
    /// if it is no such text.
    package func object(maximumDepth: Int) -> Input {
        guard case .text(let text) = self,
            let value = try? JSONParser.parse(text.utf8Span.span, maximumDepth: maximumDepth),
            case .object = value
        else { return self }
        return Input(value)
    }
}
