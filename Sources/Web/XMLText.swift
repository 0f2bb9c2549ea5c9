import Bytes
import Model

extension [UInt8] {
    /// Appends a text as the content of an XML element, without characters that XML 1.0 forbids;
    /// O(n).
    mutating func append(xml text: String) {
        let bytes = text.utf8Span.span
        // Most texts need no escapes, and checking the bytes takes a tenth of the time.
        guard bytes.hasSpecialXML else { return append(copying: bytes) }
        for scalar in text.unicodeScalars where scalar.isXML {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            // XML parsers turn a plain carriage return into a line feed.
            case "\r": append("&#13;")
            default:
                append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether the UTF-8 may contain a character that must be escaped or omitted in XML.
    ///
    /// 0xEF is the first byte of U+FFFE and U+FFFF, among others.
    fileprivate var hasSpecialXML: Bool {
        for index in indices {
            switch self[index] {
            case 0..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0xEF:
                return true
            default: break
            }
        }
        return false
    }
}
