import Bytes
import JSON

/// Values in log lines.
extension OutputSpan<UInt8> {
    /// Appends text with `?` instead of control characters.
    ///
    /// So input can't add lines to the log or control a terminal.
    mutating func append(printable text: String) {
        let text = text.utf8.span
        var index = 0
        while index < text.count {
            let length = text.controlLength(at: index)
            append(length > 0 ? UInt8(ascii: "?") : text[index])
            index += max(length, 1)
        }
    }

    /// Appends the same inside a JSON string; each byte takes at most two.
    @inline(__always)
    mutating func append(printableJSON text: String) {
        let text = text.utf8.span
        var index = 0
        while index < text.count {
            let length = text.controlLength(at: index)
            let byte = length > 0 ? UInt8(ascii: "?") : text[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(UInt8(ascii: "\\"))
            }
            append(byte)
            index += max(length, 1)
        }
    }

    /// Appends a duration in ms with three decimals.
    mutating func append(millisecondsOf microseconds: Int64) {
        let microseconds = max(0, microseconds)
        append(decimal: microseconds / 1000)
        append(UInt8(ascii: "."))
        let fraction = microseconds % 1000
        if fraction < 100 { append(UInt8(ascii: "0")) }
        if fraction < 10 { append(UInt8(ascii: "0")) }
        append(decimal: fraction)
    }
}

extension JSONWriter {
    /// Writes a member with text from input.
    ///
    /// Control characters that JSON allows unescaped become `?`.
    mutating func field(_ key: StaticString, printable text: String) {
        let bytes = text.utf8.span
        var needsReplacement = false
        for index in bytes.indices where bytes[index] >= 0x7F && bytes.controlLength(at: index) > 0
        {
            needsReplacement = true
        }
        guard needsReplacement else { return field(key, text) }
        let scalars = text.unicodeScalars.map { scalar in
            (0x7F...0x9F).contains(scalar.value) ? "?" : scalar
        }
        field(key, String(String.UnicodeScalarView(scalars)))
    }
}

extension Span<UInt8> {
    /// Returns the length of the control character at `index` of a UTF-8 text, or 0 if there is
    /// none.
    ///
    /// U+0080 to U+009F take two bytes. Terminals treat U+009B as the start of an escape sequence.
    fileprivate func controlLength(at index: Int) -> Int {
        let byte = self[index]
        if byte < 0x20 || byte == 0x7F { return 1 }
        let isPair = byte == 0xC2 && index + 1 < count && (0x80...0x9F).contains(self[index + 1])
        return isPair ? 2 : 0
    }
}
