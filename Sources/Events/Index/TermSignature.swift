/// The labels that events may have: a bit for all numbers with the same hash.
///
/// A search for a rare one passes over most leaves after a look at a line of the processor's cache
/// (B. H. Bloom, Space/time trade-offs in hash coding with allowable errors, Communications of the
/// ACM 13, 1970). Events have too many words for it.
struct TermSignature: BitwiseCopyable, Sendable {
    private var words = SIMD8<UInt64>()

    /// Summarizes the labels of events, as `TermNumbers` has them.
    init(_ labels: PackedBytes) {
        for index in 0..<labels.count {
            let range = labels.range(of: index..<index + 1)
            TermNumbers.forEachLabel(of: labels.bytes.span, in: range) {
                insert($0)
                return true
            }
        }
    }

    private mutating func insert(_ number: UInt32) {
        let (word, bit) = Self.position(of: number)
        words[word] |= bit
    }

    /// Returns false if no event has the term with this number.
    @inline(__always)
    func mayContain(_ number: UInt32) -> Bool {
        let (word, bit) = Self.position(of: number)
        return words[word] & bit != 0
    }

    /// Returns one of 512 bits, by Fibonacci hashing.
    @inline(__always)
    private static func position(of number: UInt32) -> (word: Int, bit: UInt64) {
        let hash = (number &* 0x9E37_79B9) >> 23
        return (Int(hash >> 6), 1 << UInt64(hash & 63))
    }
}
