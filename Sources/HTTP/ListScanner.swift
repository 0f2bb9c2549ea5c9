/// A scanner for comma-separated lists without quoted strings (RFC 9110 section 5.6.1).
struct ListScanner {
    private var position = 0

    /// Returns the range of the next element without surrounding white space; nil after the last
    /// one.
    ///
    /// An empty element is an empty range, and an empty list has one.
    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        guard position <= bytes.count else { return nil }
        let end = bytes.offset(of: UInt8(ascii: ","), from: position)
        let element = bytes.trimmingBlanks(position..<end)
        position = end + 1
        return element
    }
}
