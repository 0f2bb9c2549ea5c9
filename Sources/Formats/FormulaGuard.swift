/// A prefix for texts in a CSV file that spreadsheets would run as formulas.
///
/// A text that begins with one of `= + - @`, a tab or a carriage return gets an apostrophe before
/// it, which marks text in spreadsheets. A text that already has apostrophes there gets one more,
/// so that it can be reversed. Numbers such as `-5` stay the same.
enum FormulaGuard {
    private static let apostrophe = UInt8(ascii: "'")

    /// Returns the text with an apostrophe if it needs one.
    static func guarded(_ text: String) -> String {
        isDangerous(text.utf8.drop { $0 == apostrophe }) ? "'" + text : text
    }

    /// Returns the text from which `guarded` made this one; the same text if it is not guarded.
    static func unguarded(_ text: String) -> String {
        guard text.utf8.first == apostrophe, isDangerous(text.utf8.drop { $0 == apostrophe }) else {
            return text
        }
        return String(text.unicodeScalars.dropFirst())
    }

    private static func isDangerous(_ text: Substring.UTF8View) -> Bool {
        switch text.first {
        case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"): !isNumber(text)
        default: false
        }
    }

    /// Returns whether it is a decimal number; other numbers that Swift can parse may be names.
    private static func isNumber(_ text: Substring.UTF8View) -> Bool {
        let isDecimal = text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        return isDecimal && Double(Substring(text)) != nil
    }
}
