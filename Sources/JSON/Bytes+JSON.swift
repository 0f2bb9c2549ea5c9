/// The pieces of JSON text that need work, appended to UTF-8 bytes.
extension [UInt8] {
    /// Appends the UTF-8 of `text` as it stands.
    ///
    /// O(n).
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { utf8 in
            // Safe: the buffer stays inside this closure, and a static string never moves.
            unsafe append(contentsOf: utf8)
        }
    }

    /// Appends the decimal digits of an integer.
    mutating func append(decimal integer: Int64) {
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var start = digits.count
        var rest = integer.magnitude
        repeat {
            start -= 1
            digits[start] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if integer < 0 {
            append(UInt8(ascii: "-"))
        }
        append(addingCapacity: digits.count - start) { output in
            for index in start..<digits.count {
                output.append(digits[index])
            }
        }
    }

    /// Appends the shortest digits that read back as this finite number, with a decimal point.
    mutating func append(shortest double: Double) {
        let text = double.description.utf8
        let digitCount = double.sign == .minus ? 2 : 1
        let afterDigit = text.index(text.startIndex, offsetBy: digitCount)
        // Swift leaves the point out where a single digit precedes an exponent: 1e-07.
        guard text[afterDigit] == UInt8(ascii: "e") else { return append(contentsOf: text) }
        append(contentsOf: text[..<afterDigit])
        append(".0")
        append(contentsOf: text[afterDigit...])
    }

    /// Appends a string in quotes, with escapes where they are needed.
    ///
    /// O(n).
    mutating func append(quoting string: String) {
        append(UInt8(ascii: "\""))
        if string.utf8Span.span.needsEscapes {
            append(escaping: string.utf8Span.span)
        } else {
            append(contentsOf: string.utf8)
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if byte.mustBeEscaped {
                append(escapeOf: byte)
            } else {
                append(byte)
            }
        }
    }

    private mutating func append(escapeOf byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        default:
            append(#"\u00"#)
            append(hexadecimalDigit(byte >> 4))
            append(hexadecimalDigit(byte & 0xF))
        }
    }

    private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value - 10)
    }
}

extension Span<UInt8> {
    /// Whether any of these bytes must be escaped in a JSON string.
    ///
    /// O(n).
    fileprivate var needsEscapes: Bool {
        for index in indices where self[index].mustBeEscaped {
            return true
        }
        return false
    }
}

extension UInt8 {
    /// Whether a JSON string can't hold this byte as it is (RFC 8259, section 7).
    fileprivate var mustBeEscaped: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}
