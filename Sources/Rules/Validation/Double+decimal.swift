extension Double {
    /// Parses a finite number in decimal notation, or returns nil.
    ///
    /// A sign and an exponent are optional, and a point must be between digits. Valid are `-1.5`,
    /// `+007` and `1e-05`, but not `.5`, `5.`, `0x10`, `inf`, `1_000`, ` 1`, nor `1e400`, which is
    /// too large for a Double. A number too small for a Double is 0. O(n).
    package init?(decimal text: String) {
        guard text.utf8Span.span.isDecimal, let number = Double(text), number.isFinite else {
            return nil
        }
        self = number
    }
}

extension Span<UInt8> {
    /// Whether the bytes are `[+-] digits [. digits] [e [+-] digits]` in ASCII.
    fileprivate var isDecimal: Bool {
        var index = 0
        skipSign(&index)
        guard skipDigits(&index) else { return false }
        if skip(&index, UInt8(ascii: ".")) {
            guard skipDigits(&index) else { return false }
        }
        if skip(&index, UInt8(ascii: "e")) || skip(&index, UInt8(ascii: "E")) {
            skipSign(&index)
            guard skipDigits(&index) else { return false }
        }
        return index == count
    }

    private func skipSign(_ index: inout Int) {
        _ = skip(&index, UInt8(ascii: "+")) || skip(&index, UInt8(ascii: "-"))
    }

    /// Moves past all digits, and returns whether there were any.
    private func skipDigits(_ index: inout Int) -> Bool {
        let start = index
        while index < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[index]) {
            index += 1
        }
        return index > start
    }

    private func skip(_ index: inout Int, _ byte: UInt8) -> Bool {
        guard index < count, self[index] == byte else { return false }
        index += 1
        return true
    }
}
