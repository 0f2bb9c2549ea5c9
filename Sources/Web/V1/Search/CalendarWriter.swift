import Bytes

/// A writer of the content lines of iCalendar (RFC 5545, section 3.1).
///
/// Lines end with CRLF. Long lines are folded at 75 octets, and never within a character.
struct CalendarWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends a constant line, which must have at most 75 octets.
    mutating func line(_ line: StaticString) {
        bytes.append(line)
        endLine()
    }

    /// Appends a property whose value needs no escaping; `name` ends with a colon.
    mutating func line(_ name: StaticString, _ value: String) {
        let start = bytes.count
        bytes.append(name)
        bytes.append(contentsOf: value.utf8)
        foldLine(from: start)
        endLine()
    }

    /// Appends a property of type TEXT (RFC 5545, section 3.3.11); `name` ends with a colon.
    mutating func line(_ name: StaticString, text: String) {
        line(name, Self.escaped(text))
    }

    /// Returns a text as a value of type TEXT.
    ///
    /// Line breaks become `\n`, and other control characters are removed.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in CalendarCharacters(text) {
            switch scalar {
            case "\\", ";", ",":
                escaped.append("\\")
                escaped.append(scalar)
            case "\n":
                escaped.append("\\")
                escaped.append("n")
            case _ where scalar.isControl: break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Returns a text as the content of a quoted parameter value (RFC 5545, section 3.2).
    ///
    /// Quotes become apostrophes, line breaks and tabs become spaces, and other control characters
    /// are removed.
    static func quotable(_ text: String) -> String {
        var value = String.UnicodeScalarView()
        for scalar in CalendarCharacters(text) {
            switch scalar {
            case "\"": value.append("'")
            case "\n", "\t": value.append(" ")
            case _ where scalar.isControl: break
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    private mutating func endLine() {
        bytes.append("\r\n")
    }

    /// Folds the line that begins at `start`; continuation lines begin with a space.
    private mutating func foldLine(from start: Int) {
        guard bytes.count - start > 75 else { return }
        let line = Array(bytes[start...])
        bytes.removeSubrange(start...)
        var rest = line[...]
        var room = 75
        while rest.count > room {
            var end = rest.startIndex + room
            // A UTF-8 character has at most three continuation bytes.
            while end > rest.startIndex + 1, rest[end] & 0xC0 == 0x80 { end -= 1 }
            bytes.append(contentsOf: rest[..<end])
            bytes.append("\r\n ")
            rest = rest[end...]
            room = 74
        }
        bytes.append(contentsOf: rest)
    }
}

/// The scalars of a text, with each line break as a line feed.
private struct CalendarCharacters: Sequence, IteratorProtocol {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = text.unicodeScalars[...]
    }

    mutating func next() -> Unicode.Scalar? {
        guard let scalar = rest.popFirst() else { return nil }
        guard scalar == "\r" else { return scalar }
        if rest.first == "\n" { rest.removeFirst() }
        return "\n"
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (Unicode's Cc).
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether it changes the direction of the text around it (Unicode's Bidi_Control).
    var isBidirectionalControl: Bool {
        switch value {
        case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
