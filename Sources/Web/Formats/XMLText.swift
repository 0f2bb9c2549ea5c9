import Bytes

extension [UInt8] {
    /// Appends a text as the content of an XML element, without characters that XML 1.0 forbids;
    /// O(n).
    ///
    /// In an attribute, quotes are escaped as well.
    mutating func append(xml text: String, inAttribute: Bool = false) {
        append(text) { scalar in
            switch scalar {
            case "\"" where inAttribute: "&quot;"
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
