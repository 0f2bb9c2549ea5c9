import Bytes
import Model

extension [UInt8] {
    /// Appends a text as the content of an XML element, without characters that XML 1.0 forbids;
    /// O(n).
    mutating func append(xml text: String) {
        let text = text.utf8Span.span
        append(
            replacingIn: text,
            growth: 5,
            passingAsWord: { word in
                let marks =
                    word.hasByte(UInt8(ascii: "&")) | word.hasByte(UInt8(ascii: "<"))
                    | word.hasByte(UInt8(ascii: ">"))
                return (word.hasByte(below: 0x20) | marks | word.hasByte(0xEF)) == 0
            },
            passingAsByte: { byte in
                switch byte {
                case 0..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0xEF: false
                default: true
                }
            }
        ) { index, output in
            switch text[index] {
            case UInt8(ascii: "&"): output.append("&amp;")
            case UInt8(ascii: "<"): output.append("&lt;")
            case UInt8(ascii: ">"): output.append("&gt;")
            // XML parsers turn a plain carriage return into a line feed.
            case UInt8(ascii: "\r"): output.append("&#13;")
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"): output.append(text[index])
            case 0xEF:
                // The first byte of U+F000 to U+FFFF, of which the last two are forbidden.
                let end = Swift.min(index + 3, text.count)
                if !text.isXMLNonCharacter(at: index) {
                    output.append(copying: text.extracting(index..<end))
                }
                return end
            default: break
            }
            return index + 1
        }
    }
}

extension Span<UInt8> {
    /// Returns whether the three bytes of U+FFFE or U+FFFF begin at an offset.
    fileprivate func isXMLNonCharacter(at offset: Int) -> Bool {
        offset + 2 < count && self[offset + 1] == 0xBF && self[offset + 2] >= 0xBE
    }
}
