extension JSONParser {
    /// Parses a number (RFC 8259, section 6); the next byte must be a digit or a minus sign.
    mutating func parseNumber(in bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset
        _ = skip(UInt8(ascii: "-"), in: bytes)
        if !skip(UInt8(ascii: "0"), in: bytes) {
            try skipDigits(in: bytes)
        }
        if skip(UInt8(ascii: "."), in: bytes) {
            try skipDigits(in: bytes)
        }
        if skip(UInt8(ascii: "e"), in: bytes) || skip(UInt8(ascii: "E"), in: bytes) {
            if !skip(UInt8(ascii: "+"), in: bytes) {
                _ = skip(UInt8(ascii: "-"), in: bytes)
            }
            try skipDigits(in: bytes)
        }
        return try text(start..<offset, in: bytes)
    }

    /// Skips one or more digits.
    private mutating func skipDigits(in bytes: Span<UInt8>) throws(JSONError) {
        let start = offset
        while offset < bytes.count, isDigit(bytes[offset]) {
            offset += 1
        }
        guard offset > start else { throw mismatch("a digit", in: bytes) }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
