import Bytes
import JSON

/// How values are put into a line of the log.
extension OutputSpan<UInt8> {
    /// Appends the text with `?` in place of control characters, so that nothing can end the line
    /// early or talk to the terminal.
    mutating func append(printable text: String) {
        let text = text.utf8.span
        var index = 0
        while index < text.count {
            let length = text.controlLength(at: index)
            append(length > 0 ? UInt8(ascii: "?") : text[index])
            index += max(length, 1)
        }
    }

    /// Appends the same as the inside of a JSON string; takes two bytes for one at the most.
    @inline(__always)
    mutating func append(printableJSON text: String) {
        let text = text.utf8.span
        if text.isPlain { return append(copying: text) }
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
    /// Writes a member whose text is from outside, with `?` in place of the control characters that
    /// JSON lets stand as they are.
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
    /// Whether this is ASCII without control characters and without what JSON escapes, as nearly
    /// every text is.
    fileprivate var isPlain: Bool {
        // Counted to the end, which needs no branch for each byte.
        var others = 0
        for index in indices {
            let byte = self[index]
            let isEscaped = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            if isEscaped || !(0x20..<0x7F).contains(byte) { others += 1 }
        }
        return others == 0
    }

    /// How many bytes the control character at `index` of a UTF-8 text has; 0 if there is none.
    ///
    /// Those from U+0080 to U+009F are two bytes; terminals take U+009B for the start of an escape
    /// code.
    fileprivate func controlLength(at index: Int) -> Int {
        let byte = self[index]
        if byte < 0x20 || byte == 0x7F { return 1 }
        let isPair = byte == 0xC2 && index + 1 < count && (0x80...0x9F).contains(self[index + 1])
        return isPair ? 2 : 0
    }
}
