/// A function, initialiser or subscript with a body.
struct FunctionLength: Equatable {
    /// The line of its `func`, counted from 1.
    let line: Int
    /// Lines from there to its closing brace.
    let count: Int
}

extension LexedSource {
    /// Every function of the source with its length in lines, declaration included.
    var functionLengths: [FunctionLength] {
        let lines = codeLines
        return lines.indices.compactMap { index in
            guard Self.declaresFunction(lines[index]) else { return nil }
            let end = Self.endOfBody(in: lines, from: index)
            return end.map { FunctionLength(line: index + 1, count: $0 - index + 1) }
        }
    }

    private static func declaresFunction(_ line: Substring) -> Bool {
        guard ["func", "init", "subscript"].contains(where: { line.contains($0) }) else {
            return false
        }
        let words = line.split { !$0.isLetter && $0 != "(" && $0 != "." && $0 != "<" }
        let modifiers = words.prefix { !$0.hasPrefix("func") && !isInitializer($0) }
        guard let keyword = words.dropFirst(modifiers.count).first else { return false }
        return keyword == "func" || (isInitializer(keyword) && modifiers.allSatisfy(isModifier))
    }

    private static func isInitializer(_ word: Substring) -> Bool {
        ["init(", "init<", "subscript(", "deinit"].contains { word.hasPrefix($0) }
            || word == "init"
    }

    private static func isModifier(_ word: Substring) -> Bool {
        ["package", "private", "fileprivate", "convenience", "static", "required"].contains(word)
    }

    /// The line of the brace that closes the body; nil if the declaration has none.
    private static func endOfBody(in lines: [Substring], from start: Int) -> Int? {
        var brackets = 0
        var braces = 0
        for index in start..<lines.count {
            if index > start, braces == 0, brackets == 0, !continuesSignature(lines[index]) {
                return nil
            }
            for byte in lines[index].utf8 {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets -= 1
                case UInt8(ascii: "{") where brackets == 0 || braces > 0: braces += 1
                case UInt8(ascii: "}") where braces > 0:
                    braces -= 1
                    if braces == 0 { return index }
                default: break
                }
            }
        }
        return nil
    }

    private static func continuesSignature(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        return ["{", "->", ")", "where", "throws", "async", "rethrows"].contains {
            text.hasPrefix($0)
        }
    }
}
