/// HTML as it grows: what is text cannot become markup.
struct HTMLText: ~Copyable {
    private(set) var text = ""

    /// Appends markup, which stands in the source.
    mutating func markup(_ markup: StaticString) {
        text += markup.description
    }

    /// Appends a text, in which nothing has a meaning to HTML, not in attributes either.
    mutating func escaped(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": self.text += "&amp;"
            case "<": self.text += "&lt;"
            case ">": self.text += "&gt;"
            case "\"": self.text += "&quot;"
            case "'": self.text += "&#39;"
            case OriginTemplate.mark: break
            default: self.text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Appends an element that holds a text and nothing else; `open` is its start tag.
    mutating func element(_ open: StaticString, _ text: String, _ close: StaticString) {
        markup(open)
        escaped(text)
        markup(close)
    }

    /// Appends an attribute, with a space before it.
    mutating func attribute(_ name: StaticString, _ value: String) {
        markup(" ")
        markup(name)
        element("=\"", value, "\"")
    }

    /// Appends the place of the server's own address.
    mutating func origin() {
        text.unicodeScalars.append(OriginTemplate.mark)
    }

    /// Appends a file of the program's own as it stands: a style sheet or a script.
    mutating func embedded(_ file: String) {
        text += file
    }
}
