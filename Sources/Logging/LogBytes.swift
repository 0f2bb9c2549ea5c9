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
        append(decimal: microseconds % 1000, width: 3)
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
