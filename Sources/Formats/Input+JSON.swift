package import JSON
package import Rules

extension Input {
    /// Creates the input of a JSON value; nil, where a key is missing, is absent.
    package init(_ value: JSONValue?) {
        self =
            switch value {
            case nil: .absent
            case .null: .null
            case .boolean(let boolean): .boolean(boolean)
            case .number(let text): .number(text)
            case .string(let text): .text(text)
            case .array, .object: .structure
            }
    }
}
