import System

/// The settings in a file of `NAME=value` lines.
///
/// Blank lines, lines that begin with `#`, and `export ` before a name are ignored. In single
/// quotes, a value is literal. In double quotes, `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are escapes.
/// Without quotes, a value ends at the end of the line or at a `#` after white space. Nothing is
/// expanded, and a value can't span lines.
package struct DotEnvFile: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let name: String
        package let value: String
        /// The line number, from 1.
        package let line: Int
    }

    /// The path as it was given, for messages.
    package let path: String
    /// The entries in the order of the file, with unique names.
    package let entries: [Entry]

    /// Reads a file of settings.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isRequired: Whether the user has named the file. It can then be a pipe.
    ///   - patience: The time limit for reading a pipe, in ms.
    /// - Returns: The settings, or nil if the file doesn't exist and is not required.
    /// - Throws: `SettingError` if the file can't be read or parsed.
    package static func read(
        at path: String,
        isRequired: Bool,
        patience: Int64 = 10_000
    ) throws(SettingError) -> DotEnvFile? {
        let text: String
        do throws(FileError) {
            text = try SmallFile.text(at: path, pipePatience: isRequired ? patience : nil)
        } catch {
            if error.isMissing, !isRequired { return nil }
            throw .unreadableFile(path: path, reason: error.reason)
        }
        return try DotEnvFile(path: path, text: text)
    }

    package init(path: String, text: String) throws(SettingError) {
        self.path = path
        var entries: [Entry] = []
        // `"\r\n"` is one Character, so this removes either kind of line end.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            var scanner = LineScanner(rest: line, path: path, number: index + 1)
            guard let entry = try scanner.entry() else { continue }
            if let earlier = entries.first(where: { $0.name == entry.name }) {
                let reason = "\(entry.name) is already set in line \(earlier.line)"
                throw .malformedLine(path: path, line: entry.line, reason: reason)
            }
            entries.append(entry)
        }
        self.entries = entries
    }
}

/// Parses one line from left to right.
private struct LineScanner {
    var rest: Substring
    let path: String
    /// The line number, from 1.
    let number: Int

    private func malformed(_ reason: String) -> SettingError {
        .malformedLine(path: path, line: number, reason: reason)
    }

    mutating func entry() throws(SettingError) -> DotEnvFile.Entry? {
        skipSpace()
        guard let first = rest.first, first != "#" else { return nil }
        if rest.hasPrefix("export "), !rest.dropFirst(7).hasPrefix("=") {
            rest.removeFirst(7)
            skipSpace()
        }
        let name = try name()
        skipSpace()
        let value = try value()
        return DotEnvFile.Entry(name: name, value: value, line: number)
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    private mutating func name() throws(SettingError) -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        rest = rest.dropFirst(name.count)
        skipSpace()
        guard !name.isEmpty, rest.popFirst() == "=" else {
            throw malformed("a setting must look like NAME=value")
        }
        return String(name)
    }

    private mutating func value() throws(SettingError) -> String {
        switch rest.first {
        case "'": try quoted(by: "'")
        case "\"": try quoted(by: "\"")
        default: plain()
        }
    }

    private func plain() -> String {
        var value = ""
        var isAfterSpace = true
        for character in rest {
            if character == "#", isAfterSpace { break }
            isAfterSpace = character == " " || character == "\t"
            value.append(character)
        }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        return value
    }

    private mutating func quoted(by quote: Character) throws(SettingError) -> String {
        rest.removeFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case quote:
                try checkEnd()
                return value
            case "\\" where quote == "\"":
                value.append(try escaped())
            default:
                value.append(character)
            }
        }
        throw malformed("the closing quote \(quote) is missing")
    }

    private mutating func escaped() throws(SettingError) -> Character {
        switch rest.popFirst() {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case let character? where "\"\\$".contains(character): return character
        default: throw malformed(#"after \ only n, r, t, ", \ or $ is allowed"#)
        }
    }

    private mutating func checkEnd() throws(SettingError) {
        skipSpace()
        guard rest.isEmpty || rest.first == "#" else {
            throw malformed("there is text after the closing quote")
        }
    }
}
