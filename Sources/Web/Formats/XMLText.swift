import Bytes

extension [UInt8] {
    /// Appends a text as the content of an XML element, without characters that XML 1.0 forbids;
    /// O(n).
    mutating func append(xml text: String) {
        append(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            // XML parsers turn a plain carriage return into a line feed.
            case "\r": "&#13;"
            case "\t", "\n": nil
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": ""
            default: nil
            }
        }
    }
}
