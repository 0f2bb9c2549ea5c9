/// The bytes that libFuzzer made, the first of which choose how the others are used.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// The next byte as a number below `bound`; 0 at the end of the input.
    ///
    /// A digit is itself, so that seeds can be read.
    mutating func choice(below bound: Int) -> Int {
        guard let byte = bytes.popFirst() else { return 0 }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        return Int(isDigit ? byte - UInt8(ascii: "0") : byte) % bound
    }

    /// The next eight bytes as an integer, the missing ones as 0.
    mutating func integer() -> Int64 {
        var bits: UInt64 = 0
        for _ in 0..<8 { bits = bits << 8 | UInt64(bytes.popFirst() ?? 0) }
        return Int64(bitPattern: bits)
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { bytes = [] }
        return Array(bytes)
    }

    /// All that is left as text; what is not UTF-8 becomes U+FFFD.
    mutating func text() -> String {
        String(decoding: rest(), as: UTF8.self)
    }

    /// All that is left as texts with a byte 0xFF, which is never in UTF-8, between them.
    mutating func texts() -> [String] {
        rest().split(separator: 0xFF, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Where an input of `count` bytes is cut to arrive in pieces of `size` bytes.
func cuts(_ count: Int, every size: Int) -> [Int] {
    Array(stride(from: size, to: count, by: size))
}

extension Sequence<UInt8> {
    /// Whether it is UTF-8.
    var isUTF8: Bool {
        let bytes = Array(self)
        return (try? UTF8Span(validating: bytes.span)) != nil
    }
}
