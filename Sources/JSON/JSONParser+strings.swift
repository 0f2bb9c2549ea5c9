extension JSONParser {
    /// Parses a string (RFC 8259, section 7); the next byte must be its opening quote.
    mutating func parseString(in bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset + 1
        var hasEscapes = false
        offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let contents = start..<offset
                offset += 1
                return hasEscapes
                    ? try unescape(contents, in: bytes) : try text(contents, in: bytes)
            case UInt8(ascii: "\\"):
                // The byte after it can't be the closing quote; `unescape` validates it.
                hasEscapes = true
                offset += 2
            case 0x00..<0x20:
                throw mismatch("control characters to be escaped", in: bytes)
            default:
                offset += 1
            }
        }
        offset = bytes.count
        throw mismatch("a closing quote", in: bytes)
    }

    /// Returns the text of these bytes; throws unless they are valid UTF-8.
    func text(_ range: Range<Int>, in bytes: Span<UInt8>) throws(JSONError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            let position = range.lowerBound + error.byteOffsets.lowerBound
            throw mismatch("UTF-8", at: position, in: bytes)
        }
    }

    /// Returns a string's contents with escapes replaced, and skips the closing quote.
    private mutating func unescape(
        _ contents: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(JSONError) -> String {
        // Validated first, so that an error has its position in the document.
        _ = try text(contents, in: bytes)
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(contents.count)
        offset = contents.lowerBound
        while offset < contents.upperBound {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\\") {
                unescaped.append(contentsOf: try parseEscape(in: bytes).utf8)
            } else {
                unescaped.append(byte)
            }
        }
        offset = contents.upperBound + 1
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// Parses the rest of an escape after its backslash.
    private mutating func parseEscape(in bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let scalar: Unicode.Scalar
        switch peek(in: bytes) {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{08}"
        case UInt8(ascii: "f"): scalar = "\u{0C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape(in: bytes)
        default: throw mismatch(#"one of "\/bfnrtu after the backslash"#, in: bytes)
        }
        offset += 1
        return scalar
    }

    /// Parses a `u` with four digits, or two of them that form a surrogate pair.
    private mutating func parseUnicodeEscape(
        in bytes: Span<UInt8>
    ) throws(JSONError) -> Unicode.Scalar {
        let backslash = offset - 1
        let unit = try parseCodeUnit(in: bytes)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        guard
            UTF16.isLeadSurrogate(unit),
            skip(UInt8(ascii: "\\"), in: bytes),
            peek(in: bytes) == UInt8(ascii: "u"),
            let scalar = pair(unit, try parseCodeUnit(in: bytes))
        else {
            throw error("half a surrogate pair is not a character", at: backslash, in: bytes)
        }
        return scalar
    }

    /// Parses a `u` and four hexadecimal digits.
    private mutating func parseCodeUnit(in bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
        offset += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek(in: bytes), let digit = hexadecimalDigit(byte) else {
                throw mismatch("four hexadecimal digits", in: bytes)
            }
            unit = unit << 4 | digit
            offset += 1
        }
        return unit
    }

    private func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }

    /// Returns the character of a surrogate pair; nil if `trail` is not a trailing surrogate.
    private func pair(_ lead: UInt16, _ trail: UInt16) -> Unicode.Scalar? {
        guard UTF16.isTrailSurrogate(trail) else { return nil }
        return Unicode.Scalar(0x10000 + UInt32(lead & 0x3FF) << 10 + UInt32(trail & 0x3FF))
    }
}
