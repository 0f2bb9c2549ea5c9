import Bytes

/// The pieces of JSON text that need work, appended to UTF-8 bytes.
extension [UInt8] {
    /// Appends a string in quotes, with escapes where they are needed.
    ///
    /// O(n).
    package mutating func append(quoting string: String) {
        let text = string.utf8Span.span
        if text.needsEscapes {
            append(UInt8(ascii: "\""))
            append(escaping: text)
            append(UInt8(ascii: "\""))
        } else {
            append(addingCapacity: text.count + 2) { output in
                output.append(UInt8(ascii: "\""))
                output.append(copying: text)
                output.append(UInt8(ascii: "\""))
            }
        }
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

extension OutputSpan<UInt8> {
    /// Bytes that `append(shortest:)` appends at the most.
    static var shortestCapacity: Int { 32 }

    /// Appends the shortest digits that read back as this finite number, with a decimal point.
    mutating func append(shortest double: Double) {
        let description = double.description
        let text = description.utf8Span.span
        let digitCount = double.sign == .minus ? 2 : 1
        // Swift leaves the point out where a single digit precedes an exponent: 1e-07.
        guard text.count > digitCount, text[digitCount] == UInt8(ascii: "e") else {
            return append(copying: text)
        }
        append(copying: text.extracting(first: digitCount))
        append(".0")
        append(copying: text.extracting(droppingFirst: digitCount))
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
