/// One value as a client sent it, before any rule is applied; the same for JSON and forms.
package enum Input: Equatable, Sendable {
    /// The key was not there.
    case absent
    /// JSON `null`, or a form key without `=`.
    case null
    case boolean(Bool)
    /// A JSON number, as it was written.
    case number(String)
    /// A JSON string or a form value.
    case text(String)
    /// An array or an object, where one value was expected.
    case structure
}

extension Input {
    /// Whether the key was not there at all.
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// Whether nothing was said: no value, or a text of nothing but white space.
    ///
    /// O(n).
    package var isBlank: Bool {
        switch self {
        case .absent, .null: true
        case .text(let text): text.isBlank
        case .boolean, .number, .structure: false
        }
    }

    /// Null for a text of nothing but white space, else the value itself.
    ///
    /// O(n).
    var nullIfBlank: Input {
        !isAbsent && isBlank ? .null : self
    }

    /// The value as a text: a number as it was written, a boolean as `true` or `false`.
    ///
    /// Nil for what is no single value.
    package var spelling: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let boolean): boolean ? "true" : "false"
        case .absent, .null, .structure: nil
        }
    }

    /// The id of a record that this is: a number or a text of nothing but ASCII digits, which is
    /// positive and fits 64 bits.
    ///
    /// Nil for anything else, such as `7.0`, `0`, `-1` and `"7 "`. O(n).
    package var recordID: Int64? {
        switch self {
        case .number(let text), .text(let text): Int64(recordID: text)
        case .absent, .null, .boolean, .structure: nil
        }
    }
}

extension String {
    /// Whether all of it is white space (Unicode's White_Space), as the empty text is.
    fileprivate var isBlank: Bool {
        // Almost every text begins with a letter or a digit; Unicode's tables cost 20 ns a look.
        if let first = utf8.first, (0x21...0x7E).contains(first) {
            return false
        }
        return unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
