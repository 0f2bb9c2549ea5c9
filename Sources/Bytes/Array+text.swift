/// Writes text at the end of an array, which grows as needed.
extension [UInt8] {
    /// Appends the UTF-8 of `text` unchanged; O(n).
    @inlinable
    package mutating func append(_ text: StaticString) {
        // A static string never moves, and the buffer stays inside the closure.
        text.withUTF8Buffer { utf8 in unsafe append(contentsOf: utf8) }
    }

    /// Appends a copy of a span's bytes; O(n).
    @inlinable
    package mutating func append(copying bytes: Span<UInt8>) {
        // The buffer does not outlive the call.
        unsafe bytes.withUnsafeBufferPointer { source in unsafe append(contentsOf: source) }
    }

    /// Appends the decimal digits of an integer, padded with zeros to `width` digits, at most 20.
    @inlinable
    package mutating func append(decimal integer: Int64, width: Int = 1) {
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var start = digits.count
        var rest = integer.magnitude
        repeat {
            start -= 1
            digits[start] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        start = Swift.min(start, Swift.max(0, digits.count - width))
        if integer < 0 { append(UInt8(ascii: "-")) }
        append(copying: digits.span.extracting(start..<digits.count))
    }

    /// Appends two upper-case hexadecimal digits.
    package mutating func append(hexadecimal byte: UInt8) {
        append((byte >> 4).hexadecimalDigit)
        append((byte & 0xF).hexadecimalDigit)
    }

    /// Appends a text in which some characters are replaced; O(n).
    ///
    /// `replacement` returns what replaces a character, or nil for the character itself.
    @inlinable @inline(__always)
    package mutating func append(
        _ text: String,
        _ replacement: (Unicode.Scalar) -> StaticString?
    ) {
        var contiguous = text
        // Not the text's span: for short texts, which are values, optimised code read the memory
        // of one that was already gone (Swift 6.2).
        contiguous.withUTF8 { bytes in
            let utf8 = unsafe bytes.span
            // Copies whole runs: copying each scalar took twice as long for calendars.
            var (copied, position) = (0, 0)
            for scalar in text.unicodeScalars {
                let start = position
                position += UTF8.width(scalar)
                guard let other = replacement(scalar) else { continue }
                append(copying: utf8.extracting(copied..<start))
                append(other)
                copied = position
            }
            append(copying: utf8.extracting(droppingFirst: copied))
        }
    }
}

extension UInt8 {
    /// The upper-case digit of a number below 16.
    fileprivate var hexadecimalDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (Unicode's Cc).
    ///
    /// Terminals treat U+009B as the start of an escape sequence.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
