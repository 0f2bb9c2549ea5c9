extension JSONParser {
    /// Returns the error for an unexpected byte at `offset`, by default the next one.
    func mismatch(
        _ expectation: String,
        at offset: Int? = nil,
        in bytes: Span<UInt8>
    ) -> JSONError {
        let offset = offset ?? self.offset
        let found = describe(offset, in: bytes)
        return error("expected \(expectation), found \(found)", at: offset, in: bytes)
    }

    /// Returns an error at `offset`, by default the next byte; O(n), because it counts the lines.
    func error(_ problem: String, at offset: Int? = nil, in bytes: Span<UInt8>) -> JSONError {
        let (line, column) = position(of: offset ?? self.offset, in: bytes)
        return JSONError(line: line, column: column, problem: problem)
    }

    /// Returns the line and the character in it at `offset`, both from 1.
    private func position(of offset: Int, in bytes: Span<UInt8>) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        let start = byteOrderMarkLength(in: bytes)
        for index in start..<max(start, min(offset, bytes.count)) {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                line += 1
                column = 1
            case 0x80..<0xC0:
                // Not the first byte of a character.
                break
            default:
                column += 1
            }
        }
        return (line, column)
    }

    /// Returns a readable description of the character at `offset`.
    private func describe(_ offset: Int, in bytes: Span<UInt8>) -> String {
        guard offset < bytes.count else { return "the end of the text" }
        guard let scalar = scalar(at: offset, in: bytes) else {
            return "the byte 0x\(hexadecimal(UInt32(bytes[offset]), digits: 2))"
        }
        switch scalar.properties.generalCategory {
        case .control, .format: return "U+\(hexadecimal(scalar.value, digits: 4))"
        default: return "\"\(scalar)\""
        }
    }

    /// Returns the character that starts at `offset`; nil if it is not UTF-8.
    private func scalar(at offset: Int, in bytes: Span<UInt8>) -> Unicode.Scalar? {
        for end in (offset + 1)...(offset + 4) where end <= bytes.count {
            if let character = try? UTF8Span(validating: bytes.extracting(offset..<end)) {
                return String(copying: character).unicodeScalars.first
            }
        }
        return nil
    }

    private func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
