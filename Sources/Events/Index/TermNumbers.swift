/// Numbers of terms in rising order, as bytes: the difference of each to the one before.
struct TermNumbers: Equatable, Sendable {
    private(set) var encoded: [UInt8] = []

    init() {}

    /// Creates the numbers that `encoded` has.
    init(encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// Encodes numbers in rising order.
    init(_ numbers: [UInt32]) {
        encoded.reserveCapacity(2 * numbers.count)
        var last: UInt32 = 0
        for number in numbers {
            encoded.append(varint: UInt64(number &- last))
            last = number
        }
    }

    /// The numbers.
    var numbers: [UInt32] {
        var numbers: [UInt32] = []
        Self.forEach(of: encoded.span, in: encoded.indices) { number in
            numbers.append(number)
            return true
        }
        return numbers
    }

    /// Calls `body` with the numbers in a range of bytes until it returns false.
    @inline(__always)
    static func forEach(of bytes: Span<UInt8>, in range: Range<Int>, _ body: (UInt32) -> Bool) {
        var position = range.lowerBound
        var number: UInt32 = 0
        while position < range.upperBound {
            number &+= UInt32(truncatingIfNeeded: bytes.varint(at: &position))
            guard body(number) else { return }
        }
    }
}

extension [UInt8] {
    /// Appends a number in 7 bits a byte, the lowest first; the highest bit says that more follow.
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension Span<UInt8> {
    /// Returns the number at a position, and moves it after the number.
    @inline(__always)
    func varint(at position: inout Int) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while position < count {
            let byte = self[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return number
    }
}
