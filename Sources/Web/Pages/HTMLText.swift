/// A growing HTML text, in which plain text can't become markup.
struct HTMLText: ~Copyable {
    private(set) var text = ""

    /// Appends markup from the source code.
    mutating func markup(_ markup: StaticString) {
        text += markup.description
    }

    /// Appends text with everything escaped that has a meaning in HTML, including attributes.
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

    /// Appends an element that contains only text; `open` is its start tag.
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

    /// Appends a place for the server's address.
    mutating func origin() {
        text.unicodeScalars.append(OriginTemplate.mark)
    }

    /// Appends a style sheet or script that is part of the program, unchanged.
    mutating func embedded(_ file: String) {
        text += file
    }
}
