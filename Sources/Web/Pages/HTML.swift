/// HTML, in whose literals interpolated text can't become markup.
struct HTML: ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral markup: String) {
        text = markup
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Creates HTML from existing HTML or an embedded file.
    init(unchanged text: String) {
        self.text = text
    }

    /// A place for the server's address.
    static let origin = HTML(unchanged: String(OriginTemplate.mark))
    /// A place for the path below which a proxy serves the server, before the path of a page.
    static let prefix = HTML(unchanged: String(OriginTemplate.prefixMark))

    /// Returns HTML in which parts of the text in backquotes are code.
    static func prose(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        return HTML(
            unchanged: parts.map { index, part -> HTML in
                index.isMultiple(of: 2) ? "\(String(part))" : "<code>\(String(part))</code>"
            }.map(\.text).joined()
        )
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ markup: String) {
            text += markup
        }

        /// Appends the content of an element, with HTML's special characters escaped.
        ///
        /// Quotes are not escaped: a page with JSON examples would be a fifth longer.
        mutating func appendInterpolation(_ content: String) {
            append(content, escapingQuotes: false)
        }

        /// Appends the value of an attribute.
        mutating func appendInterpolation(value: String) {
            append(value, escapingQuotes: true)
        }

        mutating func appendInterpolation(_ html: HTML) {
            text += html.text
        }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        private mutating func append(_ plain: String, escapingQuotes: Bool) {
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"" where escapingQuotes: text += "&quot;"
                case "'" where escapingQuotes: text += "&#39;"
                case OriginTemplate.mark, OriginTemplate.prefixMark: break
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
