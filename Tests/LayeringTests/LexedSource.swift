/// Swift source with its comments and string literals told apart from its code.
///
/// This is a lexer for rules of style, not a parser: it knows nested comments, raw and multi-line
/// strings and interpolations, which count as part of their string; not regex literals.
struct LexedSource {
    /// The source with everything in comments and strings replaced by spaces; lines stay lines.
    private(set) var code = ""
    /// The contents of string literals, in order.
    private(set) var strings: [String] = []

    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("//") {
                blank(rest.prefix { $0 != "\n" }.count)
            } else if rest.hasPrefix("/*") {
                blockComment()
            } else if let opening = openingQuote() {
                string(opening)
            } else {
                code.append(character)
                rest.removeFirst()
            }
        }
    }

    var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }

    private mutating func blank(_ count: Int) {
        code += rest.prefix(count).map { $0 == "\n" ? "\n" : " " }
        rest.removeFirst(count)
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                blank(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && !rest.isEmpty
    }

    /// The hashes before a quote and whether it opens several lines; nil if no string begins here.
    private func openingQuote() -> (hashes: String, isMultiline: Bool)? {
        let hashes = String(rest.prefix { $0 == "#" })
        let quotes = rest.dropFirst(hashes.count)
        guard quotes.first == "\"" else { return nil }
        return (hashes, quotes.hasPrefix("\"\"\""))
    }

    private mutating func string(_ opening: (hashes: String, isMultiline: Bool)) {
        let quote = opening.isMultiline ? "\"\"\"" : "\""
        let escape = "\\" + opening.hashes
        blank(opening.hashes.count + quote.count)
        let start = rest
        while !rest.isEmpty, !rest.hasPrefix(quote + opening.hashes) {
            if rest.hasPrefix(escape + "(") {
                blank(escape.count + 1)
                interpolation()
            } else {
                blank(rest.hasPrefix(escape) ? min(rest.count, escape.count + 1) : 1)
            }
        }
        strings.append(String(start[..<rest.startIndex]))
        blank(min(rest.count, quote.count + opening.hashes.count))
    }

    private mutating func interpolation() {
        var depth = 1
        while depth > 0, let character = rest.first {
            if let opening = openingQuote() {
                string(opening)
                continue
            }
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            blank(1)
        }
    }
}
