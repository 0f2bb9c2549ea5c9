/// Words as sets of the events of a leaf, which has at most as many as a word has bits.
extension UInt64 {
    /// Creates a word with these bits; there is at least one, and the last one is below 64.
    init(bits: Range<Int>) {
        let lowest = Self.max >> Self(truncatingIfNeeded: Self.bitWidth - bits.count)
        self = lowest << Self(truncatingIfNeeded: bits.lowerBound)
    }

    /// The index of the highest bit that is set; -1 if none is.
    var highestBit: Int { bitWidth - 1 - leadingZeroBitCount }
}
