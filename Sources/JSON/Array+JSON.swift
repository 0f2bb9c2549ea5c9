import Bytes

/// Values as JSON text.
extension [UInt8] {
    /// Appends the shortest digits that parse to this finite number, with a decimal point.
    mutating func append(shortest double: Double) {
        // A copy, because the span of a short text is not safe; see `append(_:_:)` in Bytes.
        let text = Array(double.description.utf8)
        let digitCount = double.sign == .minus ? 2 : 1
        // Swift omits the point if a single digit precedes an exponent: 1e-07.
        guard text.count > digitCount, text[digitCount] == UInt8(ascii: "e") else {
            return append(contentsOf: text)
        }
        append(contentsOf: text.prefix(digitCount))
        append(".0")
        append(contentsOf: text.dropFirst(digitCount))
    }

    /// Appends a number of units of 10⁻ⁿ, 0 or more and less than 10¹⁵, as if it was a Double.
    ///
    /// The digits are known, so this is faster than finding those of the Double.
    mutating func append(units: Int64, decimals: Int) {
        // Numbers below 0.0001 have an exponent. With up to 7 decimals, 1000 units have none.
        guard (1...7).contains(decimals), decimals <= 4 || units >= 1000 || units == 0,
            let number = UInt64(exactly: units)
        else {
            let one = (0..<Swift.max(decimals, 0)).reduce(1.0) { one, _ in 10 * one }
            return append(shortest: Double(units) / one)
        }
        append(number, decimals: decimals)
    }

    /// Appends a string in quotes with the necessary escapes; O(n).
    mutating func append(quoting string: String) {
        append(UInt8(ascii: "\""))
        if string.utf8.contains(where: \.needsEscape) {
            for byte in string.utf8 { append(escaping: byte) }
        } else {
            append(contentsOf: string.utf8)
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a number of units of 10⁻ⁿ, without trailing zeros but with at least one decimal.
    private mutating func append(_ number: UInt64, decimals: Int) {
        var rest = number
        var decimals = decimals
        while decimals > 1, rest % 10 == 0 {
            rest /= 10
            decimals -= 1
        }
        // From the last digit to the first, so that each division is by ten.
        var digits = InlineArray<24, UInt8>(repeating: UInt8(ascii: "0"))
        var start = digits.count
        for _ in 0..<decimals {
            start -= 1
            digits[start] &+= UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        start -= 1
        digits[start] = UInt8(ascii: ".")
        repeat {
            start -= 1
            digits[start] &+= UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(copying: digits.span.extracting(droppingFirst: start))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        case 0..<0x20:
            append(#"\u00"#)
            append(hexadecimal: byte)
        default: append(byte)
        }
    }
}

extension UInt8 {
    /// Whether a JSON string can't contain this byte as it is (RFC 8259, section 7).
    fileprivate var needsEscape: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}
