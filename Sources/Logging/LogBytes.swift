import Bytes
import JSON

/// Values in log lines.
extension [UInt8] {
    /// Appends text with `?` instead of control characters.
    ///
    /// So input can't add lines to the log or control a terminal.
    mutating func append(printable text: String) {
        append(text) { $0.isControl ? "?" : nil }
    }

    /// Appends the same inside a JSON string.
    mutating func append(printableJSON text: String) {
        append(text) { scalar in
            switch scalar {
            case "\"": #"\""#
            case "\\": #"\\"#
            default: scalar.isControl ? "?" : nil
            }
        }
    }

    /// Appends a duration in ms with three decimals.
    mutating func append(millisecondsOf microseconds: Int64) {
        let microseconds = Swift.max(0, microseconds)
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
        guard text.unicodeScalars.contains(where: { $0.isControl }) else { return field(key, text) }
        let scalars = text.unicodeScalars.map { $0.isControl && $0.value >= 0x7F ? "?" : $0 }
        field(key, String(String.UnicodeScalarView(scalars)))
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (Unicode's Cc).
    ///
    /// Terminals treat U+009B as the start of an escape sequence.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
