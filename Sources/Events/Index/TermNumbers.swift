/// Numbers of terms in rising order, as bytes: the difference of each to the one before.
///
/// A difference has two bytes, or a mark and four. Almost all have two, so the processor can
/// predict where the next one begins, unlike with varints.
struct TermNumbers: Equatable, Sendable {
    /// The bytes of tags, categories and series, which have the lower numbers.
    private(set) var labels: [UInt8] = []
    /// The bytes of words.
    private(set) var words: [UInt8] = []

    /// The least number of a word.
    static let firstOfWords: UInt32 = 1 << 31

    static func isWord(_ number: UInt32) -> Bool { number >= firstOfWords }

    init() {}

    /// Creates the numbers that these bytes have.
    init(labels: [UInt8], words: [UInt8]) {
        self.labels = labels
        self.words = words
    }

    /// Encodes numbers in rising order.
    init(_ numbers: [UInt32]) {
        let count = numbers.partitionIndex { !Self.isWord($0) }
        labels = Self.encoded(numbers[..<count], after: 0)
        words = Self.encoded(numbers[count...], after: Self.firstOfWords)
    }

    private static func encoded(_ numbers: ArraySlice<UInt32>, after first: UInt32) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(2 * numbers.count)
        var last = first
        for number in numbers {
            encoded.append(difference: number &- last)
            last = number
        }
        return encoded
    }

    var byteCount: Int { labels.count + words.count }

    /// The numbers.
    var numbers: [UInt32] {
        var numbers: [UInt32] = []
        Self.forEachLabel(of: labels.span, in: labels.indices) { number in
            numbers.append(number)
            return true
        }
        Self.forEachWord(of: words.span, in: words.indices) { number in
            numbers.append(number)
            return true
        }
        return numbers
    }

    /// Calls `body` with the labels in a range of bytes until it returns false.
    @inline(__always)
    static func forEachLabel(of bytes: Span<UInt8>, in range: Range<Int>, _ body: (UInt32) -> Bool)
    {
        forEach(of: bytes, in: range, after: 0, body)
    }

    /// Calls `body` with the words in a range of bytes until it returns false.
    @inline(__always)
    static func forEachWord(of bytes: Span<UInt8>, in range: Range<Int>, _ body: (UInt32) -> Bool) {
        forEach(of: bytes, in: range, after: firstOfWords, body)
    }

    @inline(__always)
    private static func forEach(
        of bytes: Span<UInt8>,
        in range: Range<Int>,
        after first: UInt32,
        _ body: (UInt32) -> Bool
    ) {
        var position = range.lowerBound
        var number = first
        while position < range.upperBound {
            number &+= bytes.difference(at: &position)
            guard body(number) else { return }
        }
    }
}

extension [UInt8] {
    /// Says that a difference of four bytes follows.
    fileprivate static let mark: UInt16 = .max

    fileprivate mutating func append(difference: UInt32) {
        let isShort = difference < UInt32(Self.mark)
        append(lowBytesOf: isShort ? difference : UInt32(Self.mark))
        guard !isShort else { return }
        append(lowBytesOf: difference)
        append(lowBytesOf: difference >> 16)
    }

    private mutating func append(lowBytesOf number: UInt32) {
        append(UInt8(truncatingIfNeeded: number))
        append(UInt8(truncatingIfNeeded: number >> 8))
    }
}

extension Span<UInt8> {
    /// Returns the difference at a position, and moves the position after it.
    @inline(__always)
    fileprivate func difference(at position: inout Int) -> UInt32 {
        let short = twoBytes(at: &position)
        guard short == [UInt8].mark else { return UInt32(short) }
        let low = twoBytes(at: &position)
        return UInt32(low) | UInt32(twoBytes(at: &position)) << 16
    }

    @inline(__always)
    private func twoBytes(at position: inout Int) -> UInt16 {
        defer { position += 2 }
        return UInt16(self[position]) | UInt16(self[position + 1]) << 8
    }
}
