import Bytes

/// A writer of the content lines of iCalendar (RFC 5545, section 3.1).
///
/// Lines end with CRLF. Long lines are folded at 75 octets, and never within a character.
struct CalendarWriter {
    /// The lines so far.
    private(set) var bytes: [UInt8] = []
    /// The line that is being written; its storage is reused.
    private var line: [UInt8] = []

    /// Appends the lines that `write` writes to `bytes`.
    static func append(to bytes: inout [UInt8], _ write: (inout CalendarWriter) -> Void) {
        var writer = CalendarWriter()
        swap(&writer.bytes, &bytes)
        write(&writer)
        swap(&writer.bytes, &bytes)
    }

    /// Appends constant lines, of which each has at most 75 octets and ends with CRLF.
    mutating func lines(_ lines: StaticString) {
        bytes.append(lines)
    }

    /// Appends a line of at most 75 octets: a name with its colon, and what `write` appends.
    mutating func line(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        bytes.append(name)
        write(&bytes)
        bytes.append("\r\n")
    }

    /// Appends a line of any length: a name with its colon, and what `write` appends.
    mutating func longLine(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        line.removeAll(keepingCapacity: true)
        line.append(name)
        write(&line)
        bytes.append(folding: line)
        bytes.append("\r\n")
    }
}

extension [UInt8] {
    /// Appends a line; the continuations of a long one begin with a space.
    fileprivate mutating func append(folding line: [UInt8]) {
        let text = line.span
        // No line is more than three octets shorter than possible, so that no character is divided.
        let (longest, shortest) = (75, 71)
        guard text.count > longest else { return append(copying: text) }
        append(addingCapacity: text.count + 3 * (text.count / shortest + 1)) { output in
            var start = 0
            var room = longest
            while text.count - start > room {
                var end = start + room
                while text[end] & 0xC0 == 0x80, end > start + room - 3 { end -= 1 }
                output.append(copying: text.extracting(start..<end))
                output.append("\r\n ")
                start = end
                // The space counts.
                room = longest - 1
            }
            output.append(copying: text.extracting(droppingFirst: start))
        }
    }

    /// Appends a text as a value of type TEXT (RFC 5545, section 3.3.11); O(n).
    ///
    /// Line breaks become `\n`, and other control characters are removed.
    mutating func append(calendarText text: String) {
        let text = text.utf8Span.span
        append(
            replacingIn: text,
            growth: 2,
            passingAsWord: { word in
                let marks =
                    word.hasByte(UInt8(ascii: "\\")) | word.hasByte(UInt8(ascii: ";"))
                    | word.hasByte(UInt8(ascii: ","))
                return (word.mayHaveControl | marks) == 0
            },
            passingAsByte: { byte in
                switch byte {
                case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","): false
                default: !byte.mayBeginControl
                }
            }
        ) { index, output in
            switch text[index] {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","):
                output.append(UInt8(ascii: "\\"))
                output.append(text[index])
            case UInt8(ascii: "\r") where text.byte(at: index + 1) == UInt8(ascii: "\n"):
                output.append("\\n")
                return index + 2
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): output.append("\\n")
            case UInt8.firstOfC1:
                return text.appendUnlessControl(at: index, to: &output)
            default: break
            }
            return index + 1
        }
    }

    /// Appends a text as the content of a quoted parameter value (RFC 5545, section 3.2); O(n).
    ///
    /// Quotes become apostrophes, line breaks and tabs become spaces, and other control characters
    /// are removed.
    mutating func append(calendarParameter text: String) {
        let text = text.utf8Span.span
        append(
            replacingIn: text,
            growth: 1,
            passingAsWord: { ($0.mayHaveControl | $0.hasByte(UInt8(ascii: "\""))) == 0 },
            passingAsByte: { $0 != UInt8(ascii: "\"") && !$0.mayBeginControl }
        ) { index, output in
            switch text[index] {
            case UInt8(ascii: "\""): output.append(UInt8(ascii: "'"))
            case UInt8(ascii: "\r") where text.byte(at: index + 1) == UInt8(ascii: "\n"):
                output.append(UInt8(ascii: " "))
                return index + 2
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
                output.append(UInt8(ascii: " "))
            case UInt8.firstOfC1:
                return text.appendUnlessControl(at: index, to: &output)
            default: break
            }
            return index + 1
        }
    }
}

// MARK: Control characters in UTF-8

extension UInt8 {
    /// The first byte of U+0080 to U+00BF, of which those up to U+009F are controls.
    static let firstOfC1: UInt8 = 0xC2

    /// Whether a control character (Unicode's Cc) may begin with this byte.
    var mayBeginControl: Bool { self < 0x20 || self == 0x7F || self == Self.firstOfC1 }
}

extension UInt64 {
    /// A number other than 0 if a control character may begin with one of the bytes.
    var mayHaveControl: UInt64 {
        hasByte(below: 0x20) | hasByte(0x7F) | hasByte(UInt8.firstOfC1)
    }
}

extension Span<UInt8> {
    /// Returns the byte at an offset; nil at the end.
    func byte(at offset: Int) -> UInt8? {
        offset < count ? self[offset] : nil
    }

    /// Returns whether the character that begins with `firstOfC1` at an offset is a control.
    func isC1Control(at offset: Int) -> Bool {
        byte(at: offset + 1).map { $0 < 0xA0 } ?? true
    }

    /// Appends the character that begins with `firstOfC1` at an offset unless it is a control.
    ///
    /// Returns the offset after it.
    fileprivate func appendUnlessControl(at offset: Int, to output: inout OutputSpan<UInt8>) -> Int
    {
        if !isC1Control(at: offset) { output.append(copying: extracting(offset..<offset + 2)) }
        return offset + 2
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (Unicode's Cc).
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
