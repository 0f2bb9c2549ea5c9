// The standard library normalizes strings to compare them, but exposes that only as SPI.
@_spi(_Unicode) import Swift

/// A value as a client sent it, before validation; the same for JSON and forms.
package enum Input: Equatable, Sendable {
    /// The key is missing.
    case absent
    /// JSON `null`, or a form key without `=`.
    case null
    case boolean(Bool)
    /// A JSON number, as it is written.
    case number(String)
    /// A JSON string or a form value.
    case text(String)
    /// An array instead of a single value.
    case list([Input])
    /// An object instead of a single value: its JSON, and a key that it has twice, if any.
    case object(json: String, repeatedKey: String?)
}

extension Input {
    /// Whether the key is missing.
    package var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// Whether it has no value, or a text of white space only.
    ///
    /// O(n).
    package var isBlank: Bool {
        switch self {
        case .absent, .null: true
        case .text(let text): text.isBlank
        case .boolean, .number, .list, .object: false
        }
    }

    /// Null for a text of white space only, or else the value itself.
    ///
    /// O(n).
    package var nullIfBlank: Input {
        !isAbsent && isBlank ? .null : self
    }

    /// The value as a text: a number as it is written, a boolean as `true` or `false`.
    ///
    /// Nil if it is not a single value.
    package var spelling: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let boolean): boolean ? "true" : "false"
        case .absent, .null, .list, .object: nil
        }
    }

    /// The id of a record: a positive integer that fits 64 bits, as a number or as ASCII digits.
    ///
    /// The number 7.0 is an integer, too. Nil for anything else, such as `0`, `-1`, `7.5`, and the
    /// texts `7.0` and `7 `. O(n).
    package var recordID: Int64? {
        switch self {
        case .number(let text): Int64(wholeNumber: text).flatMap { $0 > 0 ? $0 : nil }
        case .text(let text): Int64(recordID: text)
        case .absent, .null, .boolean, .list, .object: nil
        }
    }
}

extension String {
    /// The text in Unicode normalization form C.
    package var normalized: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var normalized = String.UnicodeScalarView()
        for scalar in _nfc { normalized.append(scalar) }
        return String(normalized)
    }

    /// Whether all of it is white space (Unicode's White_Space); true for the empty text.
    fileprivate var isBlank: Bool {
        // Almost every text begins with a letter or a digit. Unicode's tables cost 20 ns a lookup.
        if let first = utf8.first, (0x21...0x7E).contains(first) {
            return false
        }
        return unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
