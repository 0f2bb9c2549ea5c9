extension Span<UInt8> {
    /// Tests the bytes from `start` to `end` in words of eight bytes, until one fails; O(n).
    ///
    /// The last word overlaps the one before, so that only texts of less than eight bytes have a
    /// rest.
    ///
    /// - Parameters:
    ///   - start: The offset of the first byte.
    ///   - end: The offset after the last byte.
    ///   - passes: Tests eight bytes at once, whatever their order.
    /// - Returns: `end` if all words pass and there is one. Otherwise the bytes from this offset on
    ///   must be tested one by one.
    @inlinable @inline(__always)
    package func endOfWords(
        from start: Int = 0,
        upTo end: Int,
        that passes: (UInt64) -> Bool
    ) -> Int {
        var index = start
        while index &+ 8 <= end {
            guard passes(word(at: index)) else { return index }
            index &+= 8
        }
        let hasRest = index < end && end &- start >= 8
        return hasRest && passes(word(at: end &- 8)) ? end : index
    }

    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a valid integer, and the call checks the offset.
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

/// Tests of eight bytes at once ("Bit Twiddling Hacks", Anderson, "Determine if a word has a byte
/// less than n").
extension UInt64 {
    /// Returns a number other than 0 if one of the bytes is less than `bound`, at most 128.
    ///
    /// Subtracting the bound from such a byte borrows into its highest bit, which was not set.
    @inlinable @inline(__always)
    package func hasByte(below bound: UInt8) -> UInt64 {
        (self &- UInt64(repeating: bound)) & ~self & UInt64(repeating: 0x80)
    }

    /// Returns a number other than 0 if one of the bytes equals `byte`.
    @inlinable @inline(__always)
    package func hasByte(_ byte: UInt8) -> UInt64 {
        (self ^ UInt64(repeating: byte)).hasByte(below: 1)
    }

    /// Returns a number other than 0 if one of the bytes is not ASCII.
    @inlinable @inline(__always)
    package var hasNonASCII: UInt64 { self & UInt64(repeating: 0x80) }

    @inlinable @inline(__always)
    init(repeating byte: UInt8) {
        self = UInt64(byte) &* 0x0101_0101_0101_0101
    }
}
