/// Base64 (RFC 4648).
package enum Base64 {
    /// The characters for 62 and 63, and whether there is padding.
    package enum Alphabet: Sendable {
        /// `+` and `/`, with padding (section 4).
        case standard
        /// `-` and `_`, without padding (section 5).
        case url

        fileprivate var hasPadding: Bool { self == .standard }
        fileprivate var character62: UInt8 { UInt8(ascii: self == .standard ? "+" : "-") }
        fileprivate var character63: UInt8 { UInt8(ascii: self == .standard ? "/" : "_") }
    }

    private static let padding = UInt8(ascii: "=")

    /// Returns the encoding of bytes; O(n).
    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        let bytes = bytes.span
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for index in start..<start + count { bits = bits << 8 | UInt32(bytes[index]) }
            bits <<= UInt32(24 - 8 * count)
            for digit in 0...count {
                text.append(character(of: bits >> (18 - 6 * UInt32(digit)) & 0x3F, alphabet))
            }
            if alphabet.hasPadding { text += repeatElement(padding, count: 3 - count) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text, or returns nil unless the text is exactly the encoding of some bytes.
    ///
    /// Other characters, missing padding and bits after the last byte are errors. So no two texts
    /// decode to the same bytes. O(n).
    package static func decode(
        _ text: some Collection<UInt8>,
        _ alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        var digits = text[...]
        if alphabet.hasPadding {
            guard text.count.isMultiple(of: 4) else { return nil }
            digits = text.dropLast(text.suffix(2).count { $0 == padding })
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for digit in digits {
            guard let value = value(of: digit, alphabet) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= (1 << bitCount) - 1
        }
        return bits == 0 ? bytes : nil
    }

    /// Returns the character for six bits.
    static func character(of value: UInt32, _ alphabet: Alphabet) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: alphabet.character62
        default: alphabet.character63
        }
    }

    private static func value(of digit: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case alphabet.character62: 62
        case alphabet.character63: 63
        default: nil
        }
    }
}
