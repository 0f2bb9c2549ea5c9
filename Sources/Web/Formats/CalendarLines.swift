import Bytes

/// The content lines of iCalendar (RFC 5545, section 3.1).
///
/// Lines end with CRLF. Long lines are folded at 75 octets, and never within a character.
extension [UInt8] {
    /// Appends a line of at most 75 octets: a name with its colon, and what `write` appends.
    mutating func line(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        append(name)
        write(&self)
        append("\r\n")
    }

    /// Appends a line of any length: a name with its colon, and what `write` appends.
    mutating func longLine(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        var line: [UInt8] = []
        line.append(name)
        write(&line)
        append(folding: line)
        append("\r\n")
    }

    /// Appends a line; the continuations of a long one begin with a space.
    fileprivate mutating func append(folding line: [UInt8]) {
        let text = line.span
        let longest = 75
        var start = 0
        var room = longest
        while text.count - start > room {
            var end = start + room
            while text[end] & 0xC0 == 0x80, end > start + room - 3 { end -= 1 }
            append(copying: text.extracting(start..<end))
            append("\r\n ")
            start = end
            // The space counts.
            room = longest - 1
        }
        append(copying: text.extracting(droppingFirst: start))
    }

    /// Appends a text as a value of type TEXT (RFC 5545, section 3.3.11); O(n).
    ///
    /// Line breaks become `\n`, and other control characters are removed.
    mutating func append(calendarText text: String) {
        var last: Unicode.Scalar = "\0"
        append(text) { scalar in
            defer { last = scalar }
            return switch scalar {
            case "\\": "\\\\"
            case ";": "\\;"
            case ",": "\\,"
            case "\n" where last == "\r": ""
            case "\r", "\n": "\\n"
            default: scalar.isControl ? "" : nil
            }
        }
    }

    /// Appends a text as the content of a quoted parameter value (RFC 5545, section 3.2); O(n).
    ///
    /// Quotes become apostrophes, line breaks and tabs become spaces, and other control characters
    /// are removed.
    mutating func append(calendarParameter text: String) {
        var last: Unicode.Scalar = "\0"
        append(text) { scalar in
            defer { last = scalar }
            return switch scalar {
            case "\"": "'"
            case "\n" where last == "\r": ""
            case "\r", "\n", "\t": " "
            default: scalar.isControl ? "" : nil
            }
        }
    }
}
