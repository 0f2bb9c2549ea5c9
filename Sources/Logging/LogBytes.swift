import Bytes
import JSON

/// Values in log lines.
extension [UInt8] {
    /// Appends text with `?` instead of control characters.
    ///
    /// So input can't add lines to the log or control a terminal.
    mutating func append(printable text: String) {
        if append(plain: text) { return }
        append(text) { $0.isControl ? "?" : nil }
    }

    /// Appends the same inside a JSON string.
    mutating func append(printableJSON text: String) {
        if append(plain: text) { return }
        append(text) { scalar in
            switch scalar {
            case "\"": #"\""#
            case "\\": #"\\"#
            default: scalar.isControl ? "?" : nil
            }
        }
    }

    /// Appends text that is the same in both formats, as nearly all text is.
    ///
    /// Returns false, and appends nothing, if it has other characters than `isPlain` allows.
    private mutating func append(plain text: String) -> Bool {
        var contiguous = text
        return contiguous.withUTF8 { bytes in
            let utf8 = unsafe bytes.span
            // Bytes, because reading the scalars of a line takes 1,400 instructions.
            var isPlain = true
            for index in utf8.indices { isPlain = utf8[index].isPlain && isPlain }
            if isPlain { append(copying: utf8) }
            return isPlain
        }
    }

    /// Appends a duration in ms with three decimals.
    mutating func append(millisecondsOf microseconds: Int64) {
        let microseconds = Swift.max(0, microseconds)
        append(decimal: microseconds / 1000)
        append(UInt8(ascii: "."))
        append(decimal: microseconds % 1000, width: 3)
    }
}

extension UInt8 {
    /// Whether it is a printable character of ASCII that JSON needs no escape for.
    fileprivate var isPlain: Bool {
        (0x20..<0x7F).contains(self) && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}

extension JSONWriter {
    /// Writes a member with text from input.
    ///
    /// Control characters that JSON allows unescaped become `?`.
    mutating func field(_ key: StaticString, printable text: String) {
        guard text.unicodeScalars.contains(where: { $0.isControl }) else { return field(key, text) }
        let scalars = text.unicodeScalars.map { $0.isControl && $0.value >= 0x7F ? "?" : $0 }
        field(key, String(String.UnicodeScalarView(scalars)))
    }
}
