/// A growing HTML text, in which plain text can't become markup.
struct HTMLText: ~Copyable {
    private(set) var text = ""

    /// Appends markup from the source code.
    mutating func markup(_ markup: StaticString) {
        text += markup.description
    }

    /// Appends the content of an element, with HTML's special characters escaped.
    ///
    /// Quotes are not escaped: a page with JSON examples would be a fifth longer.
    mutating func escaped(_ text: String) {
        append(text, escapingQuotes: false)
    }

    /// Appends an element that contains only text; `open` is its start tag.
    mutating func element(_ open: StaticString, _ text: String, _ close: StaticString) {
        markup(open)
        escaped(text)
        markup(close)
    }

    /// Appends text; parts in backquotes become code.
    mutating func prose(_ text: String) {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index.isMultiple(of: 2) {
                escaped(String(part))
            } else {
                element("<code>", String(part), "</code>")
            }
        }
    }

    /// Appends an attribute, with a space before it.
    mutating func attribute(_ name: StaticString, _ value: String) {
        markup(" ")
        markup(name)
        markup("=\"")
        append(value, escapingQuotes: true)
        markup("\"")
    }

    /// Appends the attribute `href` with a path of this server, with a space before it.
    mutating func href(_ path: String) {
        markup(" href=\"")
        text.unicodeScalars.append(OriginTemplate.prefixMark)
        append(path, escapingQuotes: true)
        markup("\"")
    }

    /// Appends a place for the server's address.
    mutating func origin() {
        text.unicodeScalars.append(OriginTemplate.mark)
    }

    /// Appends HTML or an embedded file unchanged.
    mutating func embedded(_ html: String) {
        text += html
    }

    private mutating func append(_ text: String, escapingQuotes: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": self.text += "&amp;"
            case "<": self.text += "&lt;"
            case ">": self.text += "&gt;"
            case "\"" where escapingQuotes: self.text += "&quot;"
            case "'" where escapingQuotes: self.text += "&#39;"
            case OriginTemplate.mark, OriginTemplate.prefixMark: break
            default: self.text.unicodeScalars.append(scalar)
            }
        }
    }
}
