import FoundationEssentials

/// Writes the SQL files of a folder into a Swift file: `EmbedFiles TYPE OUTPUT FOLDER`.
///
/// The output declares `enum TYPE { static let all: [(name: String, sql: String)] }`, the files in
/// the order of their names, each named without its extension.
@main
enum EmbedFiles {
    private static let suffix = ".sql"

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            throw Failure(description: "usage: EmbedFiles TYPE OUTPUT FOLDER")
        }
        let (type, output, folder) = (arguments[1], arguments[2], arguments[3])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(suffix) }.sorted()
        let entries = try names.map { name in
            entry(
                name: String(name.dropLast(suffix.count)),
                text: try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            )
        }
        let source = """
            /// SQL files that the program brings along.
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
