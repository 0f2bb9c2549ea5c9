/// The files of `pages/` that are embedded in a page.
struct PageFiles {
    let style: String
    let script: String
    /// An SVG image, or an empty text if the page has none.
    let drawing: String

    /// Joins the files of each kind in this order; missing files are skipped.
    init(style: [String], script: [String], drawing: String = "") {
        self.style = style.map(Self.compactText).joined()
        self.script = script.map(Self.compactText).joined()
        self.drawing = Self.text(of: drawing)
    }

    /// Returns the text of a file; empty if the file does not exist.
    static func text(of name: String) -> String {
        EmbeddedPages.all.first { $0.name == name }?.text ?? ""
    }

    /// Returns a style sheet or script without indentation and comment lines.
    ///
    /// These are a tenth of its size.
    private static func compactText(of name: String) -> String {
        var isComment = false
        var lines = ""
        for line in text(of: name).split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("/*") { isComment = true }
            if !isComment && !line.isEmpty && !line.hasPrefix("//") { lines += line + "\n" }
            if line.hasSuffix("*/") { isComment = false }
        }
        return lines
    }
}
