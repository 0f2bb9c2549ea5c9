#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes text files into a Swift file: `EmbedFiles TYPE OUTPUT FILE…`.
///
/// The output declares `enum TYPE { static let all: [(name: String, sql: String)] }`, the files in
/// the order given, each named without its folder and extension.
@main
enum EmbedFiles {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let type = arguments.first, let output = arguments.dropFirst().first else {
            throw Failure(description: "usage: EmbedFiles TYPE OUTPUT FILE…")
        }
        let entries = try arguments.dropFirst(2).map { path in
            entry(name: name(of: path), text: try String(contentsOfFile: path, encoding: .utf8))
        }
        let source = """
            /// The text files of the package that the program brings along.
            enum \(type) {
                static let all: [(name: String, sql: String)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.prefix { $0 != "." })
    }

    /// One element of the array; the text stands in a raw literal with more number signs than any
    /// run of them in the text, so that nothing in it has a meaning to Swift.
    private static func entry(name: String, text: String) -> String {
        let signs = String(repeating: "#", count: longestRunOfSigns(in: text) + 1)
        let name = signs + "\"" + name + "\"" + signs
        let sql = signs + "\"\"\"\n" + text + "\n\"\"\"" + signs
        return "        (name: \(name), sql: \(sql)),"
    }

    private static func longestRunOfSigns(in text: String) -> Int {
        var longest = 0
        var current = 0
        for byte in text.utf8 {
            current = byte == UInt8(ascii: "#") ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
