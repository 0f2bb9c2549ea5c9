extension Span<UInt8> {
    /// Tests bytes until one fails, eight at a time as far as possible; O(n).
    ///
    /// The last word overlaps the one before, so that only short texts and words that fail are
    /// tested byte by byte.
    ///
    /// - Parameters:
    ///   - start: The offset of the first byte.
    ///   - end: The offset after the last byte.
    ///   - word: Returns whether eight bytes pass. It may be stricter than `byte`.
    ///   - byte: Returns whether a byte passes.
    /// - Returns: The offset of the first byte that fails, or `end`.
    @inlinable @inline(__always)
    package func endOfBytes(
        from start: Int = 0,
        upTo end: Int,
        passingAsWord word: (UInt64) -> Bool,
        passingAsByte byte: (UInt8) -> Bool
    ) -> Int {
        var index = start
        while index &+ 8 <= end, word(self.word(at: index)) { index &+= 8 }
        if index < end, index &+ 8 > end, end &- start >= 8, word(self.word(at: end &- 8)) {
            return end
        }
        while index < end, byte(self[index]) { index &+= 1 }
        return index
    }

    /// Returns the eight bytes from an offset on as a little-endian integer.
    @inlinable @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a valid integer, and the call checks the offset.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return UInt64(littleEndian: word)
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
