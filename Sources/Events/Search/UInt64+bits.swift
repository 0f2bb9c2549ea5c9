/// Words as sets of the events of a leaf, which has at most as many as a word has bits.
extension UInt64 {
    /// Creates a word with these bits; there is at least one, and the last one is below 64.
    init(bits: Range<Int>) {
        let lowest = Self.max >> Self(truncatingIfNeeded: Self.bitWidth - bits.count)
        self = lowest << Self(truncatingIfNeeded: bits.lowerBound)
    }

    /// Calls `body` with the index of each bit that is set, from the lowest one on.
    @inline(__always)
    func forEachBit(_ body: (_ index: Int) -> Void) {
        var rest = self
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }
}
