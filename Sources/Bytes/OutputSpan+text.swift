/// Appends text to memory of known size, so that one capacity check suffices for several pieces.
extension OutputSpan<UInt8> {
    /// Appends the UTF-8 of `text` unchanged, which must fit; O(n).
    @inlinable @inline(__always)
    package mutating func append(_ text: StaticString) {
        // A static string never moves, and the buffer stays inside the closure.
        text.withUTF8Buffer { utf8 in unsafe append(copying: utf8) }
    }

    /// Appends a copy of a span's bytes, which must fit; O(n).
    @inlinable @inline(__always)
    package mutating func append(copying bytes: Span<UInt8>) {
        // The buffer does not outlive the call.
        unsafe bytes.withUnsafeBufferPointer { source in unsafe append(copying: source) }
    }

    @inlinable @inline(__always)
    mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
        precondition(source.count <= freeCapacity, "more bytes than were announced")
        guard let start = source.baseAddress else { return }
        // The copy has exactly the length that was checked.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            if let free = buffer.baseAddress {
                unsafe (free + count).initialize(from: start, count: source.count)
            }
            count += source.count
        }
    }

    /// Appends the decimal digit for 0 to 9.
    @inlinable @inline(__always)
    mutating func append(digit: UInt16) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
    }

    /// Appends the decimal digits of an integer, at most 20 bytes.
    @inlinable
    package mutating func append(decimal integer: Int64) {
        if (0..<1000).contains(integer) {
            // Most numbers are short.
            let number = UInt16(truncatingIfNeeded: integer)
            if number > 99 { append(digit: number / 100) }
            if number > 9 { append(digit: number / 10 % 10) }
            return append(digit: number % 10)
        }
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var start = digits.count
        var rest = integer.magnitude
        repeat {
            start -= 1
            digits[start] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if integer < 0 { append(UInt8(ascii: "-")) }
        append(copying: digits.span.extracting(start..<digits.count))
    }
}
