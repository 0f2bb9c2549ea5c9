/// Swift source with its comments and string literals told apart from its code.
///
/// This is a lexer for rules of style, not a parser: it knows nested comments, raw and multi-line
/// strings and interpolations, which count as part of their string; not regex literals. It reads
/// bytes, because the tests are not optimised, and characters would take them half a minute.
struct LexedSource {
    /// The source with each byte in comments and strings replaced by a space; lines stay lines.
    let code: String
    /// The contents of string literals, in order.
    let strings: [String]

    init(_ text: String) {
        var lexer = Lexer(Array(text.utf8))
        lexer.run()
        code = String(decoding: lexer.code, as: UTF8.self)
        strings = lexer.strings
    }

    var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }
}

private struct Lexer {
    private(set) var code: [UInt8] = []
    private(set) var strings: [String] = []

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        code.reserveCapacity(bytes.count)
    }

    mutating func run() {
        while let byte = byte(at: index) {
            if byte == slash, self.byte(at: index + 1) == slash {
                while let byte = self.byte(at: index), byte != newline { blank(1) }
            } else if byte == slash, self.byte(at: index + 1) == star {
                blockComment()
            } else if let opening = openingQuote() {
                string(opening)
            } else {
                code.append(byte)
                index += 1
            }
        }
    }

    private func byte(at index: Int) -> UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<min(count, bytes.count - index) {
            code.append(bytes[index] == newline ? newline : space)
            index += 1
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if byte(at: index) == slash, byte(at: index + 1) == star {
                depth += 1
                blank(2)
            } else if byte(at: index) == star, byte(at: index + 1) == slash {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && index < bytes.count
    }

    /// The hashes before a quote and the number of its marks; nil if no string begins here.
    private func openingQuote() -> (hashes: Int, marks: Int)? {
        guard bytes[index] == hash || bytes[index] == mark else { return nil }
        let hashes = count(of: hash, from: index)
        let marks = count(of: mark, from: index + hashes)
        return marks == 0 ? nil : (hashes, marks >= 3 ? 3 : 1)
    }

    private func count(of byte: UInt8, from start: Int) -> Int {
        var end = start
        while self.byte(at: end) == byte { end += 1 }
        return end - start
    }

    private mutating func string(_ opening: (hashes: Int, marks: Int)) {
        blank(opening.hashes + opening.marks)
        let start = index
        while index < bytes.count, !closes(opening) {
            if bytes[index] == backslash, count(of: hash, from: index + 1) >= opening.hashes {
                let isInterpolation = byte(at: index + 1 + opening.hashes) == parenthesis
                blank(2 + opening.hashes)
                if isInterpolation { interpolation() }
            } else {
                blank(1)
            }
        }
        strings.append(String(decoding: bytes[start..<index], as: UTF8.self))
        blank(opening.hashes + opening.marks)
    }

    private func closes(_ opening: (hashes: Int, marks: Int)) -> Bool {
        bytes[index] == mark && count(of: mark, from: index) >= opening.marks
            && count(of: hash, from: index + opening.marks) >= opening.hashes
    }

    private mutating func interpolation() {
        var depth = 1
        while depth > 0, index < bytes.count {
            if let opening = openingQuote() {
                string(opening)
                continue
            }
            depth += bytes[index] == parenthesis ? 1 : bytes[index] == closingParenthesis ? -1 : 0
            blank(1)
        }
    }
}

private let slash = UInt8(ascii: "/")
private let star = UInt8(ascii: "*")
private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let hash = UInt8(ascii: "#")
private let mark = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let parenthesis = UInt8(ascii: "(")
private let closingParenthesis = UInt8(ascii: ")")
